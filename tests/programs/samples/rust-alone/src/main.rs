fn main() { println!("alone"); }
