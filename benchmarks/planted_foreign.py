"""Captions in other languages and scripts, written for the benchmark of planted faults: none is from a dataset."""

GERMAN = """\
Ein Mann in einer blauen Jacke sitzt auf einer Bank und liest Zeitung.
Zwei Kinder spielen am Strand mit einem roten Ball.
Eine Frau mit Sonnenbrille läuft über die Straße.
Ein brauner Hund springt über einen Baumstamm im Wald.
Eine Gruppe von Leuten wartet an der Bushaltestelle.
Ein Junge fährt auf seinem Skateboard eine Rampe hinunter.
Drei Mädchen in weißen Kleidern tanzen auf einer Wiese.
Ein alter Mann spielt Gitarre vor einem Laden.
Ein schwarzer Hund rennt durch das flache Wasser.
Mehrere Radfahrer fahren bei einem Rennen um die Kurve.
Eine junge Frau hält einen Regenschirm in der Hand.
Ein kleines Kind sitzt auf einer Schaukel und lacht.
Zwei Männer arbeiten auf dem Dach eines Hauses.
Ein Kletterer hängt an einer steilen Felswand.
Die Menschen stehen in einer langen Schlange vor dem Museum.
Ein Fußballspieler schießt den Ball auf das Tor.
Eine Köchin schneidet Gemüse in einer großen Küche.
Ein Mädchen bläst die Kerzen auf einer Torte aus.
Der Surfer reitet auf einer hohen Welle.
Eine Katze schläft auf dem Fensterbrett neben einer Pflanze.
Ein Bauer treibt seine Kühe über einen Feldweg.
Zwei Hunde kämpfen um einen Stock im Schnee.
Ein Kind mit einer gelben Mütze baut einen Schneemann.
Eine Braut und ihr Bräutigam gehen aus der Kirche.
Ein Mann mit Bart trinkt Kaffee in einem Café.
Arbeiter in orangen Westen reparieren die Gleise.
Ein Boot fährt unter einer alten Brücke hindurch.
Die Sängerin steht mit einem Mikrofon auf der Bühne.
Ein Junge in einem grünen Hemd wirft einen Ball.
Zwei Frauen unterhalten sich an einem Tisch im Freien.
Ein Motorradfahrer legt sich in die Kurve.
Viele Zuschauer sitzen auf der Tribüne eines Stadions.
Ein Mann verkauft Obst auf dem Markt.
Eine Frau joggt mit ihrem Hund durch den Park.
Ein Baby liegt auf einer bunten Decke.
Ein Skifahrer fährt einen verschneiten Hang hinab.
Die Kinder sitzen im Kreis auf dem Boden.
Ein weißer Hund trägt ein Spielzeug im Maul.
Ein Straßenmusiker spielt Geige in der Fußgängerzone.
Zwei Jungen springen von einem Steg in den See.
Ein Mann malt ein Bild von den Bergen.
Eine Familie macht ein Picknick unter einem Baum.
Ein Polizist regelt den Verkehr an einer Kreuzung.
Ein Mädchen mit Zöpfen liest ein Buch.
Der Tennisspieler holt zu einem Aufschlag aus.
Ein Angler sitzt mit seiner Rute am Ufer.
Eine ältere Dame füttert die Tauben auf dem Platz.
Ein Mann im Anzug telefoniert vor einem Bürogebäude.
Zwei Kinder fahren auf einem Karussell.
Ein Reiter springt mit seinem Pferd über ein Hindernis.
Eine Frau hängt Wäsche im Garten auf.
Einige Wanderer machen Rast auf einem Gipfel.
Ein Junge isst ein Eis und lächelt in die Kamera.
Die Feuerwehrleute löschen ein brennendes Auto.
Ein Mann trägt ein Kind auf seinen Schultern.
Ein Hund mit rotem Halsband schwimmt im Fluss.
Eine Tänzerin dreht sich vor einem Spiegel.
Leute überqueren bei Regen einen Zebrastreifen.
Ein Mechaniker liegt unter einem alten Auto.
Zwei Freundinnen fotografieren sich vor einem Brunnen.
""".splitlines()

FRENCH = """\
Un homme en veste bleue est assis sur un banc.
Deux enfants jouent sur la plage avec un ballon rouge.
Une femme traverse la rue avec son parapluie.
Un chien brun saute par-dessus un tronc d'arbre.
Un groupe de personnes attend le bus devant la gare.
Une petite fille souffle les bougies de son gâteau.
Un vieil homme joue de l'accordéon sur la place.
Trois garçons courent dans un champ de blé.
Un cycliste descend une route de montagne.
Des ouvriers réparent le toit d'une maison.
Une dame vend des légumes au marché.
Le joueur de tennis se prépare à servir.
Un chat dort sur le rebord de la fenêtre.
Une jeune femme lit un livre dans le parc.
Un surfeur glisse sur une grande vague.
Deux amis boivent un café à la terrasse.
Un enfant fait un bonhomme de neige devant la maison.
Les spectateurs regardent un concert en plein air.
Un pêcheur est assis au bord de la rivière.
Un cheval blanc galope dans la prairie.
Une famille pique-nique sous un arbre.
Un homme porte un enfant sur ses épaules.
Des alpinistes se reposent au sommet.
Une danseuse tourne devant un miroir.
Un chien noir nage avec un bâton dans la gueule.
Le cuisinier coupe des oignons dans sa cuisine.
Un bateau passe sous un vieux pont.
Deux filles se prennent en photo devant une fontaine.
Un garçon mange une glace et sourit.
Une mariée sort de l'église au bras de son mari.
""".splitlines()

OTHER_SCRIPTS = """\
一个穿蓝色夹克的男人坐在长椅上。
两个孩子在海滩上玩红色的球。
一只棕色的狗跳过一根木头。
一位戴墨镜的女人正在过马路。
一群人在公共汽车站等车。
一个小女孩在吹蛋糕上的蜡烛。
三个男孩在田野里奔跑。
一名冲浪者正在乘风破浪。
老人在广场上拉小提琴。
一只猫睡在窗台上。
男の人がベンチに座って新聞を読んでいる。
二人の子供が浜辺で遊んでいる。
茶色い犬が丸太を飛び越えている。
傘をさした女性が道を渡っている。
少年がスケートボードに乗っている。
白い馬が草原を走っている。
女の子がケーキのろうそくを吹き消している。
人々がバス停で待っている。
猫が窓のそばで眠っている。
料理人が野菜を切っている。
한 남자가 벤치에 앉아 신문을 읽고 있다.
두 아이가 해변에서 공놀이를 하고 있다.
갈색 개가 통나무를 뛰어넘고 있다.
우산을 든 여자가 길을 건너고 있다.
사람들이 버스 정류장에서 기다리고 있다.
Мужчина в синей куртке сидит на скамейке.
Двое детей играют на пляже с мячом.
Коричневая собака прыгает через бревно.
Женщина с зонтом переходит улицу.
Группа людей ждёт автобус на остановке.
رجل يجلس على مقعد في الحديقة.
كلب بني يقفز فوق جذع شجرة.
طفلان يلعبان على الشاطئ بالكرة.
एक आदमी बेंच पर बैठा है।
दो बच्चे समुद्र तट पर खेल रहे हैं।
Ένας άντρας κάθεται σε ένα παγκάκι.
איש יושב על ספסל בפארק.
ผู้ชายนั่งอยู่บนม้านั่ง
""".splitlines()
