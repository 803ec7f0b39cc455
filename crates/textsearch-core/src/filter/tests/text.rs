//! The text form.

use crate::filter::{DateTime, Filter, FilterValue};

fn read(text: &str) -> Filter {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn error(text: &str) -> String {
    text.parse::<Filter>().expect_err(text).to_string()
}

fn check(filter: &Filter, text: &str) {
    assert_eq!(filter.to_string(), text);
    assert_eq!(read(text), *filter);
}

fn a() -> Filter {
    Filter::exists("a")
}

fn b() -> Filter {
    Filter::exists("b")
}

fn c() -> Filter {
    Filter::exists("c")
}

#[test]
fn every_operator_has_a_form() {
    check(&Filter::eq("f", "x"), r#"f = "x""#);
    check(&Filter::ne("f", 1), "f != 1");
    check(&Filter::lt("f", 1), "f < 1");
    check(&Filter::le("f", 1), "f <= 1");
    check(&Filter::gt("f", 1), "f > 1");
    check(&Filter::ge("f", 1), "f >= 1");
    check(&Filter::contains("f", "x"), r#"f contains "x""#);
    check(&Filter::starts_with("f", "x"), r#"f starts_with "x""#);
    check(&Filter::exists("f"), "f exists");
    check(&Filter::is_in("f", vec![FilterValue::from("a"), 2.into()]), r#"f in ["a", 2]"#);
    check(&Filter::is_in("f", [0; 0]), "f in []");
}

#[test]
fn every_value_has_a_form() {
    let cases: [(FilterValue, &str); 16] = [
        (true.into(), "true"),
        (false.into(), "false"),
        (i64::MIN.into(), "-9223372036854775808"),
        (i64::MAX.into(), "9223372036854775807"),
        (1.0.into(), "1.0"),
        (1e300.into(), "1e300"),
        (f64::MIN_POSITIVE.into(), "2.2250738585072014e-308"),
        (0.1_f32.into(), "0.10000000149011612"),
        ("".into(), r#""""#),
        ("a \"b\" \\ `c`".into(), r#""a \"b\" \\ `c`""#),
        ("\n\r\t\0\u{85}".into(), r#""\n\r\t\u0000\u0085""#),
        ("日本 😀".into(), "\"日本 😀\""),
        (DateTime::parse("2024-08-14").unwrap().into(), r#"date "2024-08-14T00:00:00Z""#),
        (Vec::<i64>::new().into(), "[]"),
        (vec![vec![1], vec![]].into(), "[[1], []]"),
        (vec!["a", "b"].into(), r#"["a", "b"]"#),
    ];
    for (value, text) in cases {
        assert_eq!(value.to_string(), text);
        check(&Filter::eq("f", value), &format!("f = {text}"));
    }
}

#[test]
fn negative_zero_keeps_its_sign() {
    let Filter::Compare { value: FilterValue::Float(zero), .. } = read("f = -0.0") else {
        panic!("not a float")
    };
    assert!(zero == 0.0 && zero.is_sign_negative());
    assert_eq!(Filter::eq("f", -0.0).to_string(), "f = -0.0");
}

#[test]
fn odd_field_names_are_in_backquotes() {
    let bare = ["f", "_", "a.b-c", "Year2", "date", "all", "any", "inner", "a-"];
    for field in bare {
        check(&Filter::exists(field), &format!("{field} exists"));
    }
    let quoted = ["", "1a", "a b", "-a", ".a", "é", "and", "OR", "Not", "in", "exists", "TRUE"];
    for field in quoted {
        check(&Filter::exists(field), &format!("`{field}` exists"));
    }
    check(&Filter::exists("`\\\"\n"), "`\\`\\\\\"\\n` exists");
}

#[test]
fn not_binds_tighter_than_and_and_and_tighter_than_or() {
    check(&(!a()).and(b()), "not (a exists) and b exists");
    check(&a().or(b().and(c())), "a exists or b exists and c exists");
    check(&a().and(b()).or(c()), "a exists and b exists or c exists");
    check(&a().or(b()).and(c()), "(a exists or b exists) and c exists");
    check(&!a().and(b()), "not (a exists and b exists)");
    check(&!a().or(b()), "not (a exists or b exists)");
    assert_eq!(read("not a exists and b exists"), (!a()).and(b()));
    assert_eq!(read("a exists or not b exists"), a().or(!b()));
}

#[test]
fn nested_groups_of_one_kind_keep_their_nesting() {
    check(&Filter::all([a().and(b()), c()]), "(a exists and b exists) and c exists");
    check(&Filter::all([a(), b().and(c())]), "a exists and (b exists and c exists)");
    check(&Filter::any([a().or(b()), c()]), "(a exists or b exists) or c exists");
    check(&Filter::Not(Box::new(!a())), "not not (a exists)");
}

#[test]
fn empty_and_single_groups_print_in_special_forms() {
    check(&Filter::all([]), "true");
    check(&Filter::any([]), "false");
    check(&Filter::all([a()]), "all(a exists)");
    check(&Filter::any([a()]), "any(a exists)");
    check(&Filter::all([a().and(b())]), "all(a exists and b exists)");
    check(&!Filter::all([Filter::any([])]), "not all(false)");
    check(&Filter::all([]).or(a()), "true or a exists");
    check(&Filter::any([Filter::any([a()]), b()]), "any(a exists) or b exists");
}

#[test]
fn keywords_ignore_case_and_space_is_free() {
    let filter = read(" NOT(a EXISTS)AND\n\tb In[1,2 ]Or c STARTS_WITH\"x\" ");
    let first = (!a()).and(Filter::is_in("b", [1, 2]));
    assert_eq!(filter, first.or(Filter::starts_with("c", "x")));
    assert_eq!(read("True"), Filter::all([]));
    assert_eq!(read("ALL (a exists)"), Filter::all([a()]));
    assert_eq!(read("a=TRUE and b=Date\"2024-08-14\"").fields().count(), 2);
    assert_eq!(read("f>=-5"), Filter::ge("f", -5));
    assert_eq!(read("((a exists))"), a());
}

#[test]
fn escapes_are_those_of_json() {
    let text = r#"f = "\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#;
    assert_eq!(read(text), Filter::eq("f", "\"\\/\u{8}\u{c}\n\r\té😀"));
    assert_eq!(read(r"`a\u0062\`` exists"), Filter::exists("ab`"));
}

#[test]
fn fields_may_be_named_like_keywords() {
    assert_eq!(read("all = 1"), Filter::eq("all", 1));
    assert_eq!(read("any in [1] and date exists").fields().collect::<Vec<_>>(), ["any", "date"]);
}

#[test]
fn an_error_says_where_and_what_was_expected() {
    let operators = "=, !=, <, <=, >, >=, contains, starts_with, in, exists";
    let a_value = r#"a value (text in ", a number, true, false, date "…" or a [list])"#;
    let a_filter = "a field, `not`, `true`, `false` or `(`";
    let cases = [
        (
            "year 20",
            format!("column 6: expected an operator ({operators}) after `year`, found `20`"),
        ),
        (
            "year",
            format!("column 5: expected an operator ({operators}) after `year`, found the end"),
        ),
        ("f == 1", format!("column 3: expected an operator ({operators}) after `f`, found `==`")),
        (
            "f like 1",
            format!("column 3: expected an operator ({operators}) after `f`, found `like`"),
        ),
        ("`é` ~", "column 5: unexpected `~`".into()),
        ("", format!("column 1: expected {a_filter}, found the end")),
        ("and", format!("column 1: expected {a_filter}, found `and`")),
        ("f = 1 and", format!("column 10: expected {a_filter}, found the end")),
        ("\"f\" = 1", format!("column 1: expected {a_filter}, found `\"f\"`")),
        ("f =", format!("column 4: expected {a_value}, found the end")),
        ("f = rust", format!("column 5: expected {a_value}, found `rust`")),
        ("f = NaN", format!("column 5: expected {a_value}, found `NaN`")),
        ("f = [1,]", format!("column 8: expected {a_value}, found `]`")),
        ("f = [1 2]", "column 8: expected `,` or `]`, found `2`".into()),
        ("f in 1", "column 6: expected a list in brackets, such as [1, 2], found `1`".into()),
        ("(f = 1", "column 7: expected `and`, `or` or `)`, found the end".into()),
        ("f = 1)", "column 6: expected `and`, `or` or the end, found `)`".into()),
        ("f = 1 g = 2", "column 7: expected `and`, `or` or the end, found `g`".into()),
        (
            "f = date 1",
            "column 10: expected the text of a date in \" after `date`, found `1`".into(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn words_and_numbers_that_cannot_be_read_are_explained() {
    let cases = [
        ("f = 'x'", "column 5: unexpected `'`: text is quoted with \""),
        ("f = “x”", "column 5: unexpected `“`: text is quoted with \""),
        (
            "año = 1",
            "column 2: unexpected `ñ`: such a field name is written in backquotes, text in \"",
        ),
        ("f = \"x", "column 5: the \" here is never closed"),
        ("`f = 1", "column 1: the ` here is never closed"),
        ("f = 20x", "column 5: `20x` is not a number"),
        ("f = -", "column 5: `-` is not a number"),
        ("f = 1e", "column 5: `1e` is not a number"),
        ("f = 1e999", "column 5: `1e999` is beyond the largest number"),
        (
            "f = 9223372036854775808",
            "column 5: `9223372036854775808` does not fit 64 bits: add `.0` to compare as a float",
        ),
        ("f = \"\\u12\"", "column 6: expected four hexadecimal digits after \\u"),
        (
            "f = \"\\ud800x\"",
            "column 6: expected the other half of a surrogate pair: two \\uXXXX in a row",
        ),
        (
            "f = \"a\\`\"",
            r#"column 7: unknown escape: expected \", \\, \/, \b, \f, \n, \r, \t or \uXXXX"#,
        ),
        (
            "f = date \"2024-02-30\"",
            "column 10: `2024-02-30` is not a date and time: there is no such day or time of day",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn an_error_counts_lines_and_columns() {
    let error = "`é` = 1 and\n`é` 2".parse::<Filter>().unwrap_err();
    assert_eq!((error.line(), error.column()), (2, 5));
    assert!(error.to_string().starts_with("line 2, column 5: expected an operator"), "{error}");
    assert!(error.message().ends_with("after `é`, found `2`"), "{error}");
}

#[test]
fn an_error_quotes_only_the_beginning_of_what_was_found() {
    let text = format!("f = {}", "x".repeat(1_000));
    assert!(error(&text).ends_with(&format!("found `{}…`", "x".repeat(40))));
}

#[test]
fn the_first_mistake_is_the_one_reported() {
    assert!(error("f 1 and 'x'").starts_with("column 3:"));
}

#[test]
fn nesting_is_bounded() {
    let message = "a filter may be nested at most 64 levels deep";
    let many = 100_000;
    let cases = [
        "(".repeat(many),
        "not ".repeat(many),
        "all(".repeat(many),
        "not(any(".repeat(many),
        format!("f = {}", "[".repeat(many)),
        format!("f in {}", "[".repeat(many)),
        "a exists or a exists and (".repeat(many),
    ];
    for text in cases {
        assert!(error(&text).ends_with(message), "{}", error(&text));
    }
    // Within the bound of parentheses, but with two groups in each.
    let twice = format!("{}b exists{}", "a exists or a exists and (".repeat(40), ")".repeat(40));
    assert!(error(&twice).ends_with(message));
}

#[test]
fn the_deepest_filters_are_read_back() {
    let below = Filter::MAX_DEPTH - 1;
    let leaf = || Filter::is_in("f", [1]);
    let negated = (0..below).fold(leaf(), |filter, _| Filter::Not(Box::new(filter)));
    let grouped = (0..below).fold(leaf(), |filter, level| match level % 3 {
        0 => Filter::all([filter, a()]),
        1 => Filter::Not(Box::new(filter)),
        _ => Filter::any([filter]),
    });
    let list = (0..below).fold(FilterValue::from(1), |value, _| FilterValue::List(vec![value]));
    for filter in [negated, grouped, Filter::eq("f", list)] {
        assert_eq!(read(&filter.to_string()), filter);
        let deeper = Filter::Not(Box::new(filter)).to_string();
        assert!(deeper.parse::<Filter>().is_err(), "{deeper}");
    }
}

#[test]
fn long_filters_are_not_deep() {
    let filter = Filter::any((0..10_000).map(|number| Filter::eq("f", number)));
    assert_eq!(read(&filter.to_string()), filter);
}
