//! The sample program: a vendored crate, threads and a channel.
use std::sync::mpsc;
use std::thread;

fn sum(n: u64) -> u64 {
    let (sender, receiver) = mpsc::channel();
    for i in 1..=n {
        let sender = sender.clone();
        thread::spawn(move || sender.send(i).unwrap());
    }
    drop(sender);
    receiver.iter().sum()
}

fn main() {
    println!("{} {}", greeting::to("crab"), sum(10));
}

#[test]
fn sums() {
    assert_eq!(sum(4), 10);
}
