"""Words that the generated documents are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Words of one script and how they are strung together."""

    words: Sequence[str]
    joiner: str
    stop: str


_ASCII = (
    "order payment account shipping invoice customer warehouse delivery address status refund product category "
    "stock supplier discount basket checkout voucher review rating season summer winter cotton leather steel "
    "limited edition new classic standard premium outdoor kitchen garden travel compact wireless"
)

_CHINESE = (
    "商品 订单 支付 客户 仓库 配送 地址 状态 退款 分类 库存 供应商 折扣 购物车 结账 优惠券 评价 等级 季节 夏天 冬天 "
    "棉质 皮革 钢铁 限量 新款 经典 标准 高级 户外 厨房 花园 旅行 便携 无线 我们的 非常好 可以使用 请联系客服 第二天送达"
)

_JAPANESE = (
    "商品 ご注文 お支払い お客様 倉庫 配送 住所 ステータス 返金 カテゴリー 在庫 サプライヤー 割引 カート レジ クーポン "
    "レビュー 評価 季節 夏 冬 コットン レザー スチール 限定版 新しい クラシック スタンダード プレミアム アウトドア "
    "キッチン ガーデン 旅行 コンパクト ワイヤレス です。 ください 翌日にお届けします"
)

_RUSSIAN = (
    "заказ оплата счёт доставка накладная покупатель склад адрес состояние возврат товар раздел остаток поставщик "
    "скидка корзина оформление купон отзыв оценка сезон лето зима хлопок кожа сталь ограниченный выпуск новый "
    "классический обычный лучший для кухни сада и путешествий компактный беспроводной"
)

_FRENCH = (
    "commande paiement réglé compte livraison facture client entrepôt adresse état remboursé produit catégorie "
    "réserve fournisseur remise panier à valider chèque avis noté saison été hiver coton cuir acier édition limitée "
    "nouveau classique très français façade garçon où déjà forêt élève"
)

_EMOJI = (
    "great 😀 value 👍 loved it ❤️ fast 🚀 delivery 📦 gift 🎁 party 🎉 summer ☀️ winter ❄️ music 🎵 food 🍜 "
    "coffee ☕ sale 🔥 thanks 🙏 family 👨‍👩‍👧 five ⭐⭐⭐⭐⭐ not bad 🤔 broken 😢 returned"
)

_MIXED = (
    "使用Python3编写 API接口 延迟<5ms 支持USB-C充电 iPhone15手机壳 HTTP状态码200 下载PDF文件 VIP会员9折 A4纸 "
    "B2B平台 数据库MySQL8 版本v2.4.1 尺寸10x20cm 颜色RGB(255,0,0) 登录OAuth2授权 邮箱support@example.com 第3代CPU "
    "WiFi信号 4K显示器 客服电话400-800 按F5刷新 100%棉"
)

VOCABULARIES: Mapping[str, Vocabulary] = {
    "ascii": Vocabulary(words=_ASCII.split(), joiner=" ", stop="."),
    "chinese": Vocabulary(words=_CHINESE.split(), joiner="", stop="。"),
    "japanese": Vocabulary(words=_JAPANESE.split(), joiner="", stop="。"),
    "russian": Vocabulary(words=_RUSSIAN.split(), joiner=" ", stop="."),
    "french": Vocabulary(words=_FRENCH.split(), joiner=" ", stop="."),
    "emoji": Vocabulary(words=_EMOJI.split(), joiner=" ", stop="!"),
    "chinese-ascii": Vocabulary(words=_MIXED.split(), joiner="", stop="。"),
}

HTML_LINES: Sequence[str] = (
    '<div class="card" id="item-17">',
    "\t<a href=\"https://example.com/products?page=2&sort='price'\">Next</a>",
    '<p>She said "fine", then left.</p>\r',
    '<img src="/static/logo.png" alt="Logo" width="64" height="64"/>',
    "</div>",
    '\t\t<input type="text" name="q" placeholder="Search..." data-json="{\\"a\\":1}">',
    "<br/>",
    '<script>console.log("loaded\\n");</script>',
)

HTML_CHINESE: Sequence[str] = (
    '<div class="卡片" id="商品-17">',
    '\t<a href="https://example.com/商品?页=2">下一页</a>',
    '<p>她说“好的”，然后"离开"了。</p>\r',
    '<img src="/静态/标志.png" alt="标志" width="64"/>',
    "</div>",
    '\t\t<input type="text" name="查询" placeholder="搜索…" data-json="{\\"名称\\":1}">',
    '<script>console.log("加载完成\\n");</script>',
)

CODE_LINES: Sequence[str] = (
    "def parse(line: str) -> dict[str, str]:",
    '\t"""Split `line` at "=": \'a=b\' gives {"a": "b"}."""',
    '\tpattern = re.compile(r"^\\s*([\\w.-]+)\\s*=\\s*\\"(.*)\\"\\s*$")',
    '    printf("%s:\\t%d\\n", name, count);',
    'path = "C:\\\\Users\\\\reader\\\\notes.txt"',
    "\tif (c == '\\\\' || c == '\"') {",
    "\t\treturn;",
    "\t}",
    "",
    'echo "done: $HOME/\\"quoted\\"" >> "$LOG"',
)
