"""Reads real files with `textsearch read-file`, and compares with the text that other programs find.

usage: check.py TEXTSEARCH FOLDER

FOLDER holds unpacked packages. Programs that make files and reference texts: pdftotext, pandoc, soffice and GNU time.
"""

import collections
import datetime
import gzip
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unicodedata
import zipfile

import openpyxl
import pptx

# Scripts without spaces count by character.
CHARACTER = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile(rf"[{CHARACTER}]|[^\W_{CHARACTER}]+")
INVISIBLE = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202D), 0x2060, 0xFEFF])

# Floors of the mean share of words, a little below what was measured.
FLOORS = {"pdf": 0.97, "epub": 0.99, "docx": 0.99, "odt": 0.98, "pptx": 0.99, "odp": 0.98, "xlsx": 0.99, "ods": 0.98}

MIN_FILES = 50


def words(text):
    text = unicodedata.normalize("NFKC", text).translate(INVISIBLE)
    return collections.Counter(WORD.findall(text.lower()))


def share(expected, actual):
    total = sum(expected.values())
    return sum((expected & actual).values()) / total if total else 1.0


def timed(command, data=None):
    """Returns output, error, CPU seconds and peak memory in MB of the command alone."""
    with tempfile.NamedTemporaryFile() as usage, tempfile.TemporaryFile() as source:
        source.write(data or b"")
        source.seek(0)
        # A process that Python starts itself begins with Python's peak.
        measured = ["/usr/bin/time", "--quiet", "--output", usage.name, "--format", "%U %S %M", *command]
        process = subprocess.run(measured, stdin=source, capture_output=True)
        user, system, kilobytes = map(float, usage.read().split())
    return process.returncode, process.stdout, process.stderr, user + system, kilobytes / 1024


def read(program, path):
    """Returns the document or the reason why there is none, seconds and memory."""
    status, output, error, seconds, memory = timed([program, "read-file", path.name], path.read_bytes())
    if status != 0:
        return None, f"exit status {status}: {error.decode(errors='replace')[:200]}", seconds, memory
    result = json.loads(output)
    return result.get("Ok"), result.get("Err"), seconds, memory


def pages(document):
    """Returns the words of each `page=N`."""
    text = document["text"].encode()
    starts = [s for s in document.get("sections", []) if "fragment" in (s.get("locator") or {})]
    ends = [s["start"] for s in starts[1:]] + [len(text)]
    return [words(text[s["start"] : end].decode()) for s, end in zip(starts, ends)]


def of_pdf(path):
    output = subprocess.run(["pdftotext", "-enc", "UTF-8", path, "-"], capture_output=True, check=True)
    return output.stdout.decode(errors="replace")


def of_pandoc(path):
    """Returns no text if pandoc refuses the file, as some books with two entries for one file."""
    output = subprocess.run(["pandoc", "-t", "plain", "--wrap=none", path], capture_output=True)
    return output.stdout.decode() if output.returncode == 0 else ""


class Text(html.parser.HTMLParser):
    """The text in the body of a page."""

    def __init__(self):
        super().__init__()
        self.parts = []
        self.is_in_body = False

    def handle_starttag(self, tag, attributes):
        self.is_in_body |= tag == "body"
        self.parts.append(" ")

    def handle_data(self, data):
        if self.is_in_body:
            self.parts.append(data)


def of_book(path):
    texts = []
    with zipfile.ZipFile(path) as book:
        for name in book.namelist():
            if name.endswith((".html", ".xhtml")) and not re.search("nav|toc", name):
                page = Text()
                page.feed(book.read(name).decode())
                texts.append("".join(page.parts))
    return "\n".join(texts)


def of_slides(path):
    def texts(shapes):
        for shape in shapes:
            if shape.shape_type == pptx.enum.shapes.MSO_SHAPE_TYPE.GROUP:
                yield from texts(shape.shapes)
            if shape.has_text_frame:
                yield shape.text_frame.text
            if getattr(shape, "has_table", False) and shape.has_table:
                yield from (cell.text for row in shape.table.rows for cell in row.cells)

    slides = pptx.Presentation(path).slides
    notes = (s.notes_slide.notes_text_frame.text for s in slides if s.has_notes_slide)
    return "\n".join([*(text for s in slides for text in texts(s.shapes)), *notes])


def of_sheets(path):
    book = openpyxl.load_workbook(path, data_only=True)
    rows = (row for sheet in book.worksheets for row in sheet.iter_rows(values_only=True))
    shown = lambda cell: cell.date() if isinstance(cell, datetime.datetime) else cell
    return "\n".join(str(shown(cell)) for row in rows for cell in row if cell is not None)


def office(folder, target, paths):
    """Converts with LibreOffice."""
    folder.mkdir(exist_ok=True)
    command = ["soffice", "--headless", "--norestore", f"-env:UserInstallation=file://{folder}/profile"]
    subprocess.run([*command, "--convert-to", target, "--outdir", folder, *paths], check=True, capture_output=True)
    return [folder / (path.stem + "." + target.split(":")[0]) for path in paths]


def made(folder, books):
    """Makes Office files of the books and returns them with the text that must be in them."""
    texts = {path.stem: of_pandoc(path) for path in books}
    books = [path for path in books if texts[path.stem]]
    documents, slides = [], []
    for path in books:
        for kind, made in (("docx", documents), ("odt", documents), ("pptx", slides)):
            target = folder / f"{path.stem}.{kind}"
            subprocess.run(["pandoc", "--slide-level=3", path, "-o", target], check=True, capture_output=True)
            made.append(target)
    again = office(folder / "again", "odt", [p for p in documents if p.suffix == ".docx"])
    again += office(folder / "word", "docx", [p for p in documents if p.suffix == ".odt"])
    for path in documents + again:
        yield path, texts[path.stem]
    for path in slides:
        yield path, of_slides(path)
    for path, source in zip(office(folder / "slides", "odp", slides), slides):
        yield path, of_slides(source)
    tables = []
    for number in range(3):
        table = folder / f"table{number}.csv"
        rows = (f'{row},{row * 1.5},"place {row % 17}",2026-01-{row % 28 + 1:02}' for row in range(500 * 10**number))
        table.write_text("number,size,name,day\n" + "\n".join(rows) + "\n")
        tables.append(table)
    sheets = office(folder / "sheets", "xlsx", tables)
    for path in sheets:
        yield path, of_sheets(path)
    for path, source in zip(office(folder / "sheets", "ods", tables), sheets):
        yield path, of_sheets(source)


def unpacked(paths, folder):
    for path in paths:
        if path.suffix != ".gz":
            yield path
            continue
        target = folder / path.stem
        target.write_bytes(gzip.decompress(path.read_bytes()))
        yield target


def collect(folder, temporary):
    """Returns each file with its reference text."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    is_pdf = lambda path: path.name.endswith((".pdf", ".pdf.gz"))
    for path in unpacked(filter(is_pdf, found), temporary):
        yield path, of_pdf(path)
    books = [path for path in found if path.suffix == ".epub"]
    for path in books:
        yield path, of_book(path)
    yield from made(temporary, books)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    kinds = collections.defaultdict(list)
    faults = []
    with tempfile.TemporaryDirectory() as temporary:
        temporary = pathlib.Path(temporary)
        for path, text in collect(folder, temporary):
            kind = path.suffix[1:]
            document, reason, seconds, memory = read(program, path)
            expected = words(text)
            if document is None:
                if sum(expected.values()) > 20:
                    faults.append(f"{path.name}: {reason}")
                continue
            row = {"share": share(expected, words(document["text"])), "seconds": seconds, "memory": memory, "name": path.name}
            if kind == "pdf":
                sheets = [words(page) for page in text.split("\f")[:-1]]
                ours = pages(document)
                row["right"] = len(sheets) == len(ours)
                on_page = sum(sum((a & b).values()) for a, b in zip(sheets, ours))
                row["pages"] = on_page / max(1, sum(expected.values()))
                row["reference"] = timed(["pdftotext", "-enc", "UTF-8", path, "-"])[3]
            kinds[kind].append(row)
    report(kinds, faults)


def report(kinds, faults):
    mean = lambda rows, name: sum(row[name] for row in rows) / len(rows)
    print("format  files  words  worst  CPU s  most MB")
    for kind, rows in sorted(kinds.items()):
        worst = min(rows, key=lambda row: row["share"])
        print(
            f"{kind:6} {len(rows):6} {mean(rows, 'share'):6.3f} {worst['share']:6.3f} "
            f"{sum(row['seconds'] for row in rows):6.1f} {max(row['memory'] for row in rows):8.0f}  {worst['name']}"
        )
        if mean(rows, "share") < FLOORS[kind]:
            faults.append(f"{kind}: {mean(rows, 'share'):.3f} of the words, below {FLOORS[kind]}")
    pdf = kinds["pdf"]
    ours, theirs = sum(row["seconds"] for row in pdf), sum(row["reference"] for row in pdf)
    print(f"PDF: {mean(pdf, 'pages'):.3f} of the words on their page; {sum(row['right'] for row in pdf)} of {len(pdf)} page counts right")
    print(f"PDF: {ours:.1f} s, pdftotext {theirs:.1f} s: {theirs / ours:.2f} of its speed")
    files = sum(map(len, kinds.values()))
    if files < MIN_FILES:
        faults.append(f"only {files} files: expected {MIN_FILES}")
    if faults:
        sys.exit("\n".join(faults))


main()
