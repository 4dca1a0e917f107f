//! Windows and compactions of models, in a scratch folder.

use shared::state::Store;

use super::{MAX_MODELS, Model, Models, learn, read};

struct Scene {
    scratch: tempfile::TempDir,
}

fn scene() -> Scene {
    Scene { scratch: tempfile::tempdir().unwrap() }
}

impl Scene {
    fn own(&self) -> Store {
        Store::open(&self.scratch.path().join("own")).unwrap()
    }

    fn file(&self) -> std::path::PathBuf {
        self.own().session_file::<Models>("").unwrap()
    }

    fn kept(&self) -> usize {
        self.own().load::<Models>(&self.file(), "").unwrap().models.len()
    }
}

const WINDOW: Model = Model { window: Some(200_000), compacted_at: None };
const POINT: Model = Model { window: None, compacted_at: Some(167_000) };

#[test]
fn what_is_learnt_is_kept_beside_what_was_known() {
    let scene = scene();
    assert_eq!(read(&scene.own(), "a"), Model::default());
    learn(&scene.own(), "a", WINDOW).unwrap();
    learn(&scene.own(), "b", POINT).unwrap();
    learn(&scene.own(), "a", POINT).unwrap();
    let both = Model { window: Some(200_000), compacted_at: Some(167_000) };
    assert_eq!(read(&scene.own(), "a"), both);
    assert_eq!(read(&scene.own(), "b"), POINT);
    assert_eq!(read(&scene.own(), "c"), Model::default());
    learn(&scene.own(), "a", Model { window: Some(1_000_000), compacted_at: None }).unwrap();
    assert_eq!(read(&scene.own(), "a"), Model { window: Some(1_000_000), ..both });
}

#[test]
fn so_many_are_kept_and_the_new_one_is_among_them() {
    let scene = scene();
    for number in 0..MAX_MODELS + 20 {
        learn(&scene.own(), &format!("model-{number:03}"), WINDOW).unwrap();
    }
    assert_eq!(scene.kept(), MAX_MODELS);
    learn(&scene.own(), "a", POINT).unwrap();
    assert_eq!((scene.kept(), read(&scene.own(), "a")), (MAX_MODELS, POINT));
}

#[test]
fn many_at_once_lose_nothing() {
    let scene = scene();
    let own = &scene.own();
    std::thread::scope(|scope| {
        for number in 0..8 {
            scope.spawn(move || learn(own, &format!("model-{number}"), WINDOW).unwrap());
        }
    });
    assert_eq!(scene.kept(), 8);
}

#[test]
fn a_compaction_is_believed_from_a_fifth_of_the_window_on() {
    let at = |tokens, window| Model { compacted_at: Some(tokens), ..WINDOW }.compacted_at_percent(window);
    let table = [
        (167_000, 200_000, Some(83.5)),
        (40_000, 200_000, Some(20.0)),
        (39_999, 200_000, None),
        (167_000, 1_000_000, None),
        (967_000, 200_000, Some(483.5)),
        (0, 200_000, None),
        (0, 0, None),
    ];
    for (tokens, window, expected) in table {
        assert_eq!(at(tokens, window), expected, "{tokens} {window}");
    }
    assert_eq!(WINDOW.compacted_at_percent(200_000), None);
    assert!(at(u64::MAX, 0).is_some());
}
