//! Stop words: words in almost every text of a language.

/// For an ISO 639-1 code, separated by white space; empty without a list.
pub(crate) fn of_language(code: &str) -> &'static str {
    match code {
        "da" => DANISH,
        "de" => GERMAN,
        "en" => ENGLISH,
        "es" => SPANISH,
        "fi" => FINNISH,
        "fr" => FRENCH,
        "it" => ITALIAN,
        "nb" | "nn" | "no" => NORWEGIAN,
        "nl" => DUTCH,
        "pt" => PORTUGUESE,
        "ru" => RUSSIAN,
        "sv" => SWEDISH,
        _ => "",
    }
}

/// Excludes words of time, place and quantity, such as `same` and `before`: they distinguish texts.
const ENGLISH: &str = "
    a about again also am an and are aren't as at be because been being but by can can't could did didn't do does
    doesn't doing don't for from further had has have haven't having he her here hers him his how i i'm if in into is
    isn't it it's its just me my no nor not of on or our ours she should so some such than that that's the their theirs
    them then there these they this those to too very was we were what when where which while who whom whose why will
    with would you your yours";

const GERMAN: &str = "
    aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein
    deine dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem
    einen einer eines er es euer für hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem
    ihren ihrer im in indem ins ist jede jedem jeden jeder jedes kann kein keine keinen können man mein meine mich mir
    mit muss nach nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so soll
    sollte sondern sonst um und uns unser unter vom von vor war waren was weil welche welcher wenn wer werden wie wir
    wird wo wurde wurden während zu zum zur zwar zwischen über";

const FRENCH: &str = "
    à ai alors au aucun aussi autre aux avait avec avoir bien c ce cela celle celui ces cet cette ceux chaque ci comme
    comment d dans de des donc dont du elle elles en encore entre es est et étaient était été être eu eux fait il ils
    j je jusque l la le les leur leurs lui m ma mais même mes moi mon n ne ni nos notre nous on ont ou où par pas plus
    pour pourquoi qu quand que quel quelle quelles quels qui s sa sans se sera ses si son sont sous sur t ta te tes
    toi ton tous tout toute toutes très tu un une vos votre vous y";

const SPANISH: &str = "
    a al algo ante antes como con contra cual cuando de del desde donde durante e él el ella ellas ellos en entre era
    eran eres es esa esas ese eso esos esta está estaba están estas este esto estos fue fueron ha había han has hasta
    hay la las le les lo los más me mi mis mucho muy nada ni no nos nosotros o os otra otro para pero poco por porque
    que qué quien se sea ser si sí sin sobre son su sus también tanto te tiene todo todos tu tus un una uno unos y ya
    yo";

const ITALIAN: &str = "
    a ad agli ai al alla alle allo anche avere aveva c che chi ci col come con contro cosa cui d da dagli dai dal dalla
    dalle dallo degli dei del della delle dello di dopo dove e è ed era erano essere fra gli ha hai hanno ho i il in
    io l la le lei li lo loro lui ma me mi mia mio ne negli nei nel nella nelle nello no noi non nostro o ogni per
    perché però più quale quando quella quelle quelli quello questa queste questi questo qui se sei si sia siamo sono
    sta su sua sue sugli sui sul sulla sulle sullo suo suoi te ti tra tu tutti tutto un una uno vi voi";

const DUTCH: &str = "
    aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen had
    heb hebben heeft hem het hier hij hoe hun iets ik in is ja je jullie kan kon kunnen maar me meer men met mij mijn
    moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel
    voor want waren was wat we werd wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou";

const PORTUGUESE: &str = "
    a à ao aos aquela aquele aquilo as às até com como da das de dela dele deles depois do dos e é ela elas ele eles em
    entre era eram essa esse esta está este estes eu foi foram for há isso isto já lhe lhes mais mas me mesmo meu minha
    muito na não nas nem no nos nós nossa nosso num numa o os ou para pela pelas pelo pelos por porque qual quando que
    quem se sem ser seu seus só são sua suas também te tem têm ter teu tinha tu tua um uma você vocês";

const SWEDISH: &str = "
    alla allt att av bara bli blir blev da de dem den denna deras dess dessa det detta dig din ditt du där då efter
    ej eller en er ett från för ha hade han hans har henne hennes hon honom hur här i icke ingen inom inte jag ju kan
    kunde man med mellan men mig min mina mitt mot mycket ni nu när någon något några och om oss på samma sedan sig sin
    sina sitta själv skulle som så till under upp ut utan vad var vara varför vars vem vi vid vilka vilken åt än är
    över";

const DANISH: &str = "
    ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller
    en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvem hver hvilken hvis hvor hvordan
    i ikke ind jeg jer kan kunne man mange med meget men mig min mine mit mod ned noget nogle nu når og også om op os
    over på selv sig sin sine sit skal skulle som sådan thi til ud under var ved vi vil ville vor være været";

const NORWEGIAN: &str = "
    alle at av bare ble bli blir da de dem den denne der deres det dette deg din disse du dykk då eg eit eller elles en
    er et ett etter for fordi fra før ha hadde han hans har hennes her hjå ho hun hva hvem hver hvilken hvis hvor
    hvordan hvorfor i ikke ikkje inn jeg kan kom kun kunne kva man mange med meg mellom men mens mer min mine mitt mot
    mye må ned noe noen nå når og også om opp oss over på seg selv si sin sine sitt skal skulle slik som så til um
    under ut uten var ved vi vil ville være vært vår å";

const FINNISH: &str = "
    ei eivät eli emme en et että he heidän heille heitä hän häntä hänen ja jo joka joiden joissa jolla jonka jos jossa
    jota jotka jälkeen kanssa keneen kuin kuka kun me meidän meille meitä mikä minkä minulla minun minä missä mistä
    mitkä mitä mukaan mutta myös ne niiden niin niitä noin nuo nyt näiden nämä ole oli olin olisi olivat olla on ovat
    poikki se sekä sen siinä siitä sillä sinun sinä sitä tai te teidän tuo tuon tämä tämän tässä tästä tätä vaan vai
    vaikka vain yli";

const RUSSIAN: &str = "
    а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее ей ему
    если есть еще ещё её же за здесь и из или им их к как какой ко когда кто куда ли либо между меня мне много может
    мой моя мы на над надо нас наш не него нее ней нет ни них но ну о об один однако он она они оно от по под после
    потом потому почти при про раз с сам себя со так также такой там те тем то тогда того тоже только том ты у уже хотя
    чего чей чем что чтобы чья эта эти это этого этой этом этот я";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_words_of_time_place_and_quantity_are_searched() {
        let stop_words: Vec<&str> = of_language("en").split_whitespace().collect();
        for word in ["all", "after", "before", "once", "only", "out", "same", "until"] {
            assert!(!stop_words.contains(&word), "{word}");
        }
        for word in ["the", "how", "does", "which", "not"] {
            assert!(stop_words.contains(&word), "{word}");
        }
    }
}
