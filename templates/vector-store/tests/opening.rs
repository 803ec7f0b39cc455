//! Programs that share a file.

use std::{fs, sync::Barrier, thread};

use {{crate_name}}::{{type_name}}Store;

const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/opening");
const PROGRAMS: usize = 8;

#[test]
fn a_new_file_may_be_opened_several_times_at_once() {
    for repetition in 0..20 {
        let _ = fs::remove_dir_all(FOLDER);
        fs::create_dir_all(FOLDER).expect("the folder is made");
        let file = format!("{FOLDER}/{repetition}.db");
        let start = Barrier::new(PROGRAMS);
        let open = || {
            start.wait();
            {{type_name}}Store::open(&file)
        };
        thread::scope(|scope| {
            let programs: Vec<_> = (0..PROGRAMS).map(|_| scope.spawn(open)).collect();
            for program in programs {
                program.join().expect("no panic").expect("the file is opened");
            }
        });
    }
}
