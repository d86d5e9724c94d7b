"""The words that the demo's catalogue is written in, one lexicon a script."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LEXICONS", "SCRIPTS", "Lexicon", "script_words"]


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """Parts to build product records from; every tuple has enough items to make the records differ."""

    qualities: tuple[str, ...]
    products: tuple[str, ...]
    clauses: tuple[str, ...]
    given_names: tuple[str, ...]
    family_names: tuple[str, ...]
    word_separator: str
    clause_separator: str
    sentence_end: str
    sentences: tuple[int, int]
    """Minimum and maximum number of sentences in a description: about 300 to 600 characters."""


def _items(text: str) -> tuple[str, ...]:
    """The items of a text, which are separated by bars."""
    return tuple(item.strip() for item in text.split("|"))


_CHINESE = Lexicon(
    qualities=_items("手工 | 轻便 | 经典 | 防水 | 可折叠 | 高山 | 有机 | 静音 | 复古 | 家用"),
    products=_items(
        "陶瓷茶壶 | 羊毛围巾 | 登山背包 | 机械键盘 | 保温水杯 | 竹制书架 | 龙井绿茶 | 儿童自行车 | 台灯 | 铸铁锅"
    ),
    clauses=_items(
        "采用天然材料制作而成 | 经过三十六道工序精心打磨 | 每一件都由匠人亲手检验 | 适合日常使用和节日馈赠 | "
        "表面光滑细腻且手感温润 | 清洗方便并且不易变形 | 在寒冷的天气里也能保持温度 | 包装盒可以回收再利用 | "
        "支持七天无理由退货 | 下单后两个工作日内发货 | 颜色会因为光线略有不同 | 容量足够一家人共同使用 | "
        "说明书附有详细的保养方法 | 长期使用仍然坚固耐用 | 深受老顾客的喜爱与推荐 | 设计灵感来自江南的园林"
    ),
    given_names=_items("伟 | 芳 | 秀英 | 建国 | 晓明 | 雨桐 | 子轩 | 丽华"),
    family_names=_items("王小 | 李思 | 张文 | 刘海 | 陈嘉 | 杨静 | 赵云 | 周立"),
    word_separator="",
    clause_separator="，",
    sentence_end="。",
    sentences=(10, 16),
)

_JAPANESE = Lexicon(
    qualities=_items(
        "手作りの | 軽い | 伝統的な | 防水の | 折りたたみ | 北海道の | 有機栽培の | 静かな | 昔ながらの | 家庭用"
    ),
    products=_items(
        "急須 | ウールマフラー | 登山リュック | キーボード | 魔法瓶 | 竹の本棚 | 宇治抹茶 | 子ども用自転車 | "
        "デスクライト | 南部鉄器の鍋"
    ),
    clauses=_items(
        "天然の素材だけを使って作りました | 職人が一つずつ丁寧に仕上げています | "
        "毎日の暮らしにも贈り物にもおすすめです | 手ざわりがなめらかで使いやすい形です | お手入れがとても簡単です | "
        "寒い日でも温かさが長く続きます | 箱は再利用できる紙を使っています | ご注文から二日以内に発送いたします | "
        "光の加減で色が少し違って見えることがあります | 家族みんなで使える大きさです | "
        "説明書にお手入れの方法を載せています | 長く使うほど味わいが深まります | "
        "多くのお客様から喜びの声をいただいています | 京都の庭園をイメージしたデザインです"
    ),
    given_names=_items("さくら | 健太 | 陽子 | 大輔 | 美咲 | 翔太 | 結衣 | 直樹"),
    family_names=_items("佐藤 | 鈴木 | 高橋 | 田中 | 渡辺 | 伊藤 | 山本 | 中村"),
    word_separator="",
    clause_separator="、",
    sentence_end="。",
    sentences=(9, 14),
)

_RUSSIAN = Lexicon(
    qualities=_items("Лёгкий | Классический | Прочный | Складной | Тёплый | Домашний | Походный | Бесшумный | Льняной"),
    products=_items(
        "чайник | шарф | рюкзак | светильник | термос | стеллаж | велосипед | самовар | набор посуды | казан"
    ),
    clauses=_items(
        "изготовлено вручную из натуральных материалов | каждое изделие проверяет опытный мастер | "
        "подходит для ежедневного использования и в подарок | поверхность гладкая и приятная на ощупь | "
        "легко моется и не теряет форму | сохраняет тепло даже в сильный мороз | "
        "упаковка пригодна для вторичной переработки | отправим в течение двух рабочих дней | "
        "оттенок может немного отличаться от снимка | объёма хватит на большую семью | "
        "к товару прилагается подробная инструкция | служит долгие годы без ремонта | "
        "покупатели рекомендуют его своим друзьям | гарантия производителя составляет три года"
    ),
    given_names=_items("Анна | Сергей | Ольга | Дмитрий | Мария | Алексей | Наталья | Иван"),
    family_names=_items("Иванова | Петров | Смирнова | Кузнецов | Попова | Соколов | Морозова | Волков"),
    word_separator=" ",
    clause_separator=", ",
    sentence_end=". ",
    sentences=(4, 6),
)

_FRENCH = Lexicon(
    qualities=_items("Élégante | Légère | Brodée | Rénovée | Découpée | Imperméable à l’eau, | Décorée | Très simple"),
    products=_items(
        "théière | écharpe | étagère | lampe émaillée | boîte à thé | poêle | bouilloire dorée | fenêtre étroite"
    ),
    clauses=_items(
        "fabriqué à la main dans un atelier près de Besançon | "
        "chaque pièce est contrôlée par un artisan expérimenté | idéal au quotidien comme à offrir | "
        "sa surface lisse est agréable au toucher | l’entretien est aisé et la forme reste stable | "
        "garde la chaleur même après une journée d’hiver | l’emballage est recyclé et recyclable | "
        "expédié sous deux jours ouvrés | la teinte réelle peut différer légèrement | "
        "assez grand pour une famille entière | une notice détaillée accompagne l’article | "
        "conçu pour durer des années | très apprécié de nos clients fidèles | "
        "cœur en chêne massif, à partir de 49 € | dessiné à l’école supérieure des beaux-arts"
    ),
    given_names=_items("Zoé | Jérôme | Chloé | François | Hélène | Benoît | Léa | Rémi"),
    family_names=_items("Lefèvre | Bérard | Hervé | Gérard | Noël | Béranger | Fréchette | Crête"),
    word_separator=" ",
    clause_separator=", ",
    sentence_end=". ",
    sentences=(5, 7),
)

_EMOJI = Lexicon(
    qualities=_items(
        "🔥 Brand new | ✨ Limited | 🌿 Organic | 💧 Waterproof | 🏔️ Outdoor | 🎁 Gift-ready | 🚲 Everyday | 🤫 Silent"
    ),
    products=_items(
        "teapot 🍵 | scarf 🧣 | backpack 🎒 | keyboard 🎹 | bottle 🥤 | bookshelf 📚 | desk lamp 💡 | iron pan 🍳"
    ),
    clauses=_items(
        "made by hand from natural materials 🌱 | each piece is checked twice 🔍 | "
        "great for every day or as a gift 🎁 | smooth to the touch and easy to hold 👌 | "
        "washes easily and keeps its shape 🧼 | keeps warm all winter long 🥶 | the box can be recycled 📦 | "
        "ships within two working days 🚚 | colours may differ a little from the photo 📷 | "
        "big enough for the whole family 👨‍👩‍👧‍👦 | comes with a care guide 📖 | "
        "still going strong after years 💪🏽 | loved by our regulars 🥰 | "
        "designed in a small studio by the sea 🌊"
    ),
    given_names=_items("Kim 🦊 | Alex 🐧 | Sam 🐳 | Robin 🐦 | Charlie 🐻 | Jo 🐝 | Max 🦁 | Lou 🐼"),
    family_names=_items("Rivers 🌊 | Woods 🌲 | Stone 🪨 | Field 🌾 | Hill 🏞️ | Lake 🛶 | Frost 🥶 | Bloom 🌸"),
    word_separator=" ",
    clause_separator=", ",
    sentence_end="! ",
    sentences=(5, 8),
)

_ASCII = Lexicon(
    qualities=_items(
        "Handmade | Light | Classic | Waterproof | Folding | Alpine | Organic | Silent | Vintage | Household"
    ),
    products=_items(
        "teapot | scarf | backpack | keyboard | bottle | bookshelf | green tea | bicycle | desk lamp | iron pan"
    ),
    clauses=_items(
        "made by hand from natural materials | each piece is checked by an experienced maker | "
        "good for every day or as a gift | smooth to the touch and easy to hold | "
        "washes easily and keeps its shape | keeps its warmth even on a cold day | the box can be recycled | "
        "ships within two working days | colours may differ a little from the photo | "
        "big enough for the whole family | comes with a detailed care guide | still sound after years of use | "
        "recommended by our regular customers | designed in a small studio by the sea"
    ),
    given_names=_items("Anna | Peter | Mary | John | Alice | Tom | Helen | Mark"),
    family_names=_items("Rivers | Woods | Stone | Field | Hill | Lake | Frost | Bloom"),
    word_separator=" ",
    clause_separator=", ",
    sentence_end=". ",
    sentences=(5, 8),
)

LEXICONS = {
    "chinese": _CHINESE,
    "japanese": _JAPANESE,
    "russian": _RUSSIAN,
    "french": _FRENCH,
    "emoji": _EMOJI,
    "ascii": _ASCII,
}

SCRIPTS = {
    "mixed": ("chinese", "japanese", "russian", "french", "emoji"),
    **{name: (name,) for name in LEXICONS},
}
"""The choices of `--script`: the lexicons that the records use in turn."""


def script_words(script: str) -> str:
    """The name of a script of SCRIPTS for readers: `Chinese, Japanese, ...`."""
    odd = {"emoji": "emoji", "ascii": "ASCII"}
    return ", ".join(odd[name] if name in odd else name.capitalize() for name in SCRIPTS[script])
