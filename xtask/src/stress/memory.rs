//! Measures the memory of a store, and of the program that builds it.

use std::{
    fs::{self, File},
    io::{BufWriter, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Result, ensure};

use super::{program, resident::peak_of, run_tests};
use tempfile::TempDir;

const MEGABYTE: u64 = 1_000_000;

/// Most of it is a field that the store omits.
const LARGE_FILE: u64 = 1000 * MEGABYTE;

const MAX_FOR_LARGE_FILE: u64 = 100 * MEGABYTE;

const FOLDER: u64 = 200 * MEGABYTE;

/// A multiple of the folder's size.
const MAX_FOR_FOLDER: f64 = 2.5;

const PARAGRAPHS: usize = 24;

pub(super) fn run() -> Result<()> {
    let sizes = [("RECORDS", 100_000)];
    run_tests("-p textsearch-vector-inmemory --test memory --", &sizes)?;
    let scratch = TempDir::new()?;
    let program = program()?;
    let textsearch = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        peak_of(command.current_dir(scratch.path()).args(arguments).stdout(Stdio::null()))
    };

    let (size, kept) = write_records(&scratch.path().join("large.jsonl"))?;
    let peak = textsearch(&["index", "large.jsonl", "--exclude-field", "vector"])?;
    println!(
        "     a file of {} MB, of which {} MB are kept: {} MB of memory",
        size / MEGABYTE,
        kept / MEGABYTE,
        peak / MEGABYTE
    );
    ensure!(peak <= MAX_FOR_LARGE_FILE, "more than {} MB", MAX_FOR_LARGE_FILE / MEGABYTE);
    fs::remove_file(scratch.path().join("large.jsonl"))?;

    let size = write_folder(&scratch.path().join("folder"))?;
    let peak = textsearch(&["index", "folder", "--store", "folder.index"])?;
    let times = peak as f64 / size as f64;
    println!(
        "     a folder of {} MB of Markdown: {} MB of memory, {times:.2} times the text",
        size / MEGABYTE,
        peak / MEGABYTE
    );
    ensure!(times <= MAX_FOR_FOLDER, "more than {MAX_FOR_FOLDER} times the text");
    Ok(())
}

/// Returns the size of the file, and its size without the long field.
fn write_records(path: &Path) -> Result<(u64, u64)> {
    let mut file = BufWriter::new(File::create(path)?);
    let vector = (0..6000).map(|place| format!("0.{:06}", place * 7919 % 1_000_000));
    let vector = vector.collect::<Vec<_>>().join(",");
    let mut words = Words(1);
    let mut written = 0;
    let mut kept = 0;
    for id in 0.. {
        let head = format!("{{\"id\":{id},\"text\":\"{}\",\"vector\":[", words.sentence(50));
        writeln!(file, "{head}{vector}]}}")?;
        written += (head.len() + vector.len() + 3) as u64;
        kept += head.len() as u64;
        if written >= LARGE_FILE {
            break;
        }
    }
    file.flush()?;
    Ok((written, kept))
}

/// Returns the total size.
fn write_folder(folder: &Path) -> Result<u64> {
    fs::create_dir(folder)?;
    let mut words = Words(1);
    let mut written = 0;
    for number in 0.. {
        let mut text = format!("# {}\n\n", words.sentence(4));
        for paragraph in 0..PARAGRAPHS {
            if paragraph % 3 == 0 {
                text += &format!("## {}\n\n", words.sentence(3));
            }
            text += &format!("{}.\n\n", words.sentence(60));
        }
        fs::write(folder.join(format!("{number}.md")), &text)?;
        written += text.len() as u64;
        if written >= FOLDER {
            break;
        }
    }
    Ok(written)
}

/// The same in every run. As in a language, a few words are common and most are rare.
struct Words(u64);

impl Words {
    fn sentence(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn word(&mut self) -> String {
        let uniform = (self.random() >> 11) as f64 / (1_u64 << 53) as f64;
        let mut number = 30_000_f64.powf(uniform) as u64;
        // As in a language, rare words are longer.
        let mut word = String::from("wo");
        while number > 0 {
            word.push(char::from(b'a' + (number % 16) as u8));
            number /= 16;
        }
        word
    }

    fn random(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
