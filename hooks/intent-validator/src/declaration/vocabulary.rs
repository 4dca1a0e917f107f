//! The words that declarations are made of, in the languages they are read in.

use super::labels::Part;

/// Labels as they are compared: small, without marks.
pub(super) const LABELS: &[(Part, &[&str])] = &[
    (Part::File, &[
        "file", "files", "path", "paths", "file path", "filename", "file name", "target", "target file", "target files",
        "affected file", "affected files", "datei", "dateien", "pfad", "archivo", "archivos", "fichero", "ficheros", "ruta",
        "fichier", "fichiers", "chemin", "arquivo", "arquivos", "ficheiro", "ficheiros", "caminho", "percorso", "bestand",
        "bestanden", "plik", "pliki", "soubor", "dosya", "fil", "filer", "fișier", "fájl", "файл", "файлы", "путь",
        "ファイル", "対象ファイル", "対象", "文件", "檔案", "文件路径", "路径", "파일", "파일 경로", "αρχείο", "ملف", "tệp", "tiedosto", "plik:",
    ]),
    (Part::Changes, &[
        "change", "changes", "what", "what changes", "modification", "modifications", "edit", "edits", "planned change",
        "planned changes", "proposed changes", "change description", "änderung", "änderungen", "was", "cambio", "cambios",
        "qué", "modificación", "modificaciones", "changement", "changements", "quoi", "alteração", "alterações", "mudança",
        "mudanças", "o quê", "modifica", "modifiche", "cosa", "cambiamenti", "wijziging", "wijzigingen", "wat", "zmiana",
        "zmiany", "co", "změny", "değişiklik", "değişiklikler", "ändring", "ändringar", "изменение", "изменения", "что",
        "変更", "変更内容", "変更点", "修改", "修改内容", "变更", "变更内容", "更改", "改动", "變更", "변경", "변경사항", "변경 사항",
        "변경 내용", "muutokset", "thay đổi",
    ]),
    (Part::Goal, &[
        "goal", "goals", "why", "purpose", "reason", "aim", "objective", "motivation", "rationale", "ziel", "zweck", "grund",
        "warum", "wozu", "objetivo", "meta", "motivo", "propósito", "razón", "por qué", "but", "objectif", "raison",
        "pourquoi", "porquê", "por quê", "obiettivo", "scopo", "perché", "doel", "waarom", "cel", "dlaczego", "cíl", "amaç",
        "neden", "mål", "syfte", "цель", "зачем", "причина", "目的", "理由", "目标", "原因", "目標", "목적", "이유", "목표", "tavoite",
        "mục tiêu",
    ]),
    (Part::Test, &[
        "test", "tests", "test coverage", "coverage", "test file", "test files", "unit test", "unit tests", "covered by",
        "tested by", "testing", "tdd", "test case", "test cases", "spec", "specs", "testfall", "testabdeckung", "abdeckung",
        "testdatei", "prueba", "pruebas", "cobertura", "cobertura de pruebas", "teste", "testes", "cobertura de testes",
        "couverture", "couverture de test", "couverture de tests", "copertura", "copertura dei test", "testy", "тест",
        "тесты", "テスト", "测试", "測試", "测试覆盖", "테스트", "testit", "toets",
    ]),
    (Part::Intent, &["intent", "intention", "absicht", "intención", "intenção", "intenzione", "意図", "意图"]),
];

/// What a label of a permission contains.
pub(super) const PERMISSION: &[&str] = &[
    "permission", "permitted by", "erlaubnis", "genehmigung", "permiso", "autorización", "permissão", "autorização",
    "permesso", "autorizzazione", "autorisation", "toestemming", "разрешение", "許可", "许可", "允许", "授权", "허가", "허락",
    "user said", "pozwolenie", "tillåtelse", "izin",
];

/// What makes one doubt that labelled lines behind it are meant.
pub(super) const LEADS_TO_DOUBT: &[&str] = &[
    "example", "examples", "e.g", "template", "would", "could", "instance", "later", "afterwards", "tomorrow", "next time", "not",
    "don't", "won't", "earlier", "previous", "previously", "wrong", "old", "if", "was", "were", "said", "says", "sample", "like this",
    "draft", "reads", "beispiel", "später", "nicht", "ejemplo", "exemple", "exemplo", "esempio", "luego", "docs", "readme", "form",
    "format", "reverted", "rejected", "dropped", "discarded", "abandoned", "plan b", "should", "wrote", "had", "quote", "quoting",
];

/// What takes a declaration back, or asks whether it may stand.
pub(super) const TAKES_BACK: &[&str] = &[
    "but first", "before that", "not yet", "second thought", "never mind", "scratch that", "scrap that", "forget that", "shall i",
    "should i", "may i", "do you want", "would you like", "let me know", "won't do", "will not do", "changed my mind", "ignore that",
    "waiting for", "wait for", "hold off", "on hold", "doch nicht", "soll ich", "only an example", "just an example",
    "an example", "for later", "discard that", "no longer", "i take that back", "instead", "for illustration", "hypothetical",
];
