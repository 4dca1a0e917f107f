//! intent-validator through real processes, with a server on loopback for the models: what is asked for and when it is
//! enough, what goes out and what does not, and what the words of others can do to it: nothing. What it has in common with
//! tempo-stop is in `judge`.

