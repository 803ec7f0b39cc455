use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_exits_with_code_3() {
    let stage = Stage::new([Turn::refusal("I will not\u{1b}[2J\nsay.")]).await;
    let run = stage.ask(&[]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    let expected =
        "textsearch: the model gave no answer: it refused to answer: I will not[2J say.\n";
    assert_eq!(run.stderr, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_cut_by_a_content_filter_is_reported() {
    let filtered = Turn::text("One").with_finish_reason("content_filter");
    for turn in [filtered, Turn::prompt_filtered()] {
        let stage = Stage::new([turn]).await;
        let run = stage.ask(&[]);
        assert_eq!(run.code, 3, "{}", run.stderr);
        assert!(run.stderr.contains("the provider's content filter stopped it"), "{}", run.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_truncated_answer_is_printed_and_fails() {
    let cut = || Turn::text("One met").with_finish_reason("length");
    for arguments in [&[][..], &["--stream"]] {
        let stage = Stage::new([cut()]).await;
        let run = stage.ask(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (3, "One met\n"));
        assert!(run.stderr.contains("it was cut off"), "{}", run.stderr);
    }
    let answer = Stage::new([cut()]).await.json(&[]);
    assert_eq!((&answer["answer"], &answer["text"]), (&Value::Null, &json!("One met")));
    assert_eq!(answer["finish_reason"], "length");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_answer_is_no_answer() {
    let stage = Stage::new([Turn::text(" \n")]).await;
    let run = stage.ask(&[]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("it said nothing"), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_never_stops_searching_exits_with_code_3() {
    let stage = Stage::new([search(query()), search(query())]).await;
    let run = stage.ask(&["--tools", "--max-rounds", "1", "--show-calls"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    assert!(run.stderr.contains("it requests function calls"), "{}", run.stderr);
}
