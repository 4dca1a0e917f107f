//! What the model is asked.
