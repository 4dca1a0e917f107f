//! tempo-stop through real processes, with a server on loopback for the model: which stops it looks at, how often it holds
//! one, what goes out and what does not. What it has in common with intent-validator is in `judge`.
