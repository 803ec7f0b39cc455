//! Programs that share a file.

use std::{sync::Barrier, thread};

use {{crate_name}}::{{type_name}}Store;

const PROGRAMS: usize = 8;

#[test]
fn a_new_file_may_be_opened_several_times_at_once() {
    let folder = tempfile::tempdir().expect("the folder is made");
    for repetition in 0..20 {
        let file = folder.path().join(format!("{repetition}.db"));
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
