/**
 * The words by which mail programs quote the message that is answered, in the languages that they come in. They are facts of those
 * programs, as the lists of others name them: crisp-oss/email-forward-parser and crisp-oss/email-reply-parser, alfonsrv/mail-parser-reply,
 * mailgun/talon, discourse/email_reply_trimmer, closeio/quotequail, and the translations of Thunderbird (transvision.mozfr.org,
 * composeMsgs.properties). Where none of these has a language, the words are those of Outlook in that language.
 */

/** The names of a header's fields in one language, in lower case. Of several for a field the first is that of Outlook for Windows. */
interface HeaderWords {
  readonly from: readonly string[]
  readonly sent: readonly string[]
  readonly to: readonly string[]
  readonly subject: readonly string[]
}

const words = (from: string, sent: string, to: string, subject: string): HeaderWords => {
  const [a, b, c, d] = [from, sent, to, subject].map((names) => names.split('|'))
  return { from: a ?? [], sent: b ?? [], to: c ?? [], subject: d ?? [] }
}

/** The header above an answered message, by language. */
export const headerWords: Readonly<Record<string, HeaderWords>> = {
  ar: words('من', 'تاريخ الإرسال|تم الإرسال|أُرسلت|أرسلت|التاريخ', 'إلى', 'الموضوع'),
  bg: words('от', 'изпратено|дата', 'до', 'относно|тема'),
  ca: words('de', 'enviat|enviat el|data', 'per a|a', 'assumpte|tema'),
  cs: words('od', 'odesláno|datum', 'komu', 'předmět'),
  da: words('fra', 'sendt|dato', 'til', 'emne'),
  de: words('von', 'gesendet|datum', 'an', 'betreff'),
  el: words('από', 'στάλθηκε|αποστολή|εστάλη|ημερομηνία', 'προς', 'θέμα'),
  en: words('from', 'sent|date', 'to', 'subject'),
  es: words('de', 'enviado|enviado el|enviados|fecha', 'para|a', 'asunto'),
  et: words('saatja', 'saadetud|kuupäev', 'adressaat|saaja', 'teema'),
  eu: words('nork', 'bidalia|data', 'nori', 'gaia'),
  fi: words('lähettäjä', 'lähetetty|päivämäärä|päiväys', 'vastaanottaja', 'aihe'),
  fr: words('de|expéditeur', 'envoyé|envoyé le|date', 'à|a|pour|destinataire', 'objet|sujet'),
  gl: words('de', 'enviado|data', 'para', 'asunto'),
  he: words('מאת', 'נשלח|תאריך', 'אל', 'נושא'),
  hi: words('प्रेषक|द्वारा', 'भेजा गया|दिनांक', 'प्रति|को', 'विषय'),
  hr: words('od|šalje', 'poslano|datum', 'za|prima', 'predmet|naslov'),
  hu: words('feladó', 'elküldve|küldve|dátum', 'címzett', 'tárgy'),
  id: words('dari', 'dikirim|terkirim|tanggal', 'kepada|ke', 'subjek|perihal'),
  is: words('frá', 'sent|dags', 'til', 'efni'),
  it: words('da|mittente', 'inviato|inviato il|data', 'a', 'oggetto'),
  ja: words('差出人|送信元', '送信日時|送信日|日付', '宛先|送信先', '件名'),
  ko: words('보낸 사람|보낸사람', '보낸 날짜|보낸날짜|보낸 시간|날짜', '받는 사람|받는사람', '제목'),
  lt: words('nuo', 'išsiųsta|data', 'kam|iki', 'tema'),
  lv: words('no', 'nosūtīts|datums', 'kam|adresāts', 'temats|tēma'),
  ms: words('daripada', 'dihantar|tarikh', 'kepada', 'subjek'),
  nb: words('fra', 'sendt|dato', 'til', 'emne'),
  nl: words('van', 'verzonden|datum', 'aan', 'onderwerp'),
  pl: words('od|nadawca', 'wysłano|wysłane|data', 'do|adresat', 'temat'),
  pt: words('de', 'enviado|enviada|enviado em|enviada em|data', 'para', 'assunto'),
  ro: words('de la|expeditor|expeditorul', 'trimis|dată|data', 'către|destinatarul', 'subiect|subiectul'),
  ru: words('от|отправитель|от кого', 'отправлено|дата', 'кому', 'тема'),
  sk: words('od', 'odoslané|dátum', 'komu|pre', 'predmet'),
  sl: words('od', 'poslano|datum', 'za', 'zadeva'),
  sr: words('од|шаље', 'послато|датум', 'за|коме', 'тема|предмет'),
  'sr-latn': words('od|šalje', 'poslato|datum', 'za|kome', 'tema|predmet'),
  sv: words('från', 'skickat|datum', 'till', 'ämne'),
  th: words('จาก', 'ส่งเมื่อ|ส่ง|วันที่', 'ถึง', 'เรื่อง|หัวเรื่อง'),
  tr: words('kimden|gönderen', 'gönderildi|gönderilen|gönderme tarihi|tarih', 'kime', 'konu'),
  uk: words('від|від кого', 'надіслано|відправлено|дата', 'кому', 'тема'),
  vi: words('từ', 'đã gửi|ngày gửi|ngày', 'đến|tới', 'chủ đề|tiêu đề'),
  'zh-hans': words('发件人', '发送时间|发送日期|日期', '收件人', '主题'),
  'zh-hant': words('寄件者|寄件人', '寄件日期|傳送時間|日期', '收件者|收件人', '主旨|主題'),
}

/** What stands between dashes above the whole message that is answered, in lower case. */
export const originalMarks: ReadonlySet<string> = new Set([
  ...['original message', 'original appointment', 'reply message', 'originalnachricht', 'original-nachricht'],
  ...[
    'ursprüngliche nachricht',
    'ursprüngliche mitteilung',
    "message d'origine",
    'message original',
    'mensaje original',
  ],
  ...['messaggio originale', 'messaggio originario', 'mensagem original', 'missatge original', 'mensaxe orixinal'],
  ...['oorspronkelijk bericht', 'oorspronklike boodskap', 'oprindelig meddelelse', 'oprindelig besked'],
  ...['opprinnelig melding', 'opphavleg melding', 'ursprungligt meddelande', 'originalmeddelande'],
  ...['alkuperäinen viesti', 'alkuperäinen viesti / orig.msg.', 'upprunalegur póstur', 'upphaflegur póstur'],
  ...[
    'původní zpráva',
    'pôvodná správa',
    'wiadomość oryginalna',
    'treść oryginalnej wiadomości',
    'oryginalna wiadomość',
  ],
  ...[
    'eredeti üzenet',
    'mesajul original',
    'mesaj original',
    'izvorna poruka',
    'originalna poruka',
    'оригинална порука',
  ],
  ...[
    'izvirno sporočilo',
    'algne kiri',
    'algsõnum',
    'oriģinālais ziņojums',
    'sākotnējais ziņojums',
    'originalus laiškas',
  ],
  ...['pradinis pranešimas', 'αρχικό μήνυμα', 'αρχικό μήνυμα ηλεκτρονικού ταχυδρομείου', 'özgün i̇leti', 'özgün ileti'],
  ...['orijinal mesaj', 'özgün mesaj', 'исходное сообщение', 'первоначальное сообщение', 'пересылаемое письмо'],
  ...['початкове повідомлення', 'вихідне повідомлення', 'зыходны ліст', 'оригинално писмо', 'оригинално съобщение'],
  ...[
    'הודעה מקורית',
    'الرسالة الأصلية',
    'الرسالة الأصليَّة',
    'मूल संदेश',
    'ข้อความต้นฉบับ',
    'thư gốc',
    'pesan asli',
    'mesej asal',
  ],
  ...[
    'jatorrizko mezua',
    'neges wreiddiol',
    '元のメッセージ',
    'オリジナルメッセージ',
    '원본 메시지',
    '원본 메일',
    '원래 메시지',
  ],
  ...['原始邮件', '原始消息', '邮件原件', '原始郵件', '原始訊息', '原文'],
])

/** How introductions such as `On … wrote:` begin, in lower case. */
export const openings: readonly string[] = [
  ...[
    'on',
    'at',
    'in a message dated',
    'am',
    'le',
    'el',
    'il',
    'il giorno',
    'em',
    'op',
    'den',
    'd.',
    'på',
    'þann',
    'dne',
  ],
  ...['dňa', 'dnia', 'w dniu', 'pe', 'în data de', 'la data de', 'la', 'dana', 'на', 'în', 'vào', 'pada', 'στις', 'τη'],
  ...['o', 'el dia', 'в', 'у', 'בתאריך', 'ב־', 'في', 'على', '在', 'më', 'a'],
]

/** Their verbs, in lower case; before and behind may be other words. */
export const verbs: readonly string[] = [
  ...[
    'wrote',
    'writes',
    'schrieb',
    'schrieben',
    'geschrieben',
    'écrit',
    'escribió',
    'escribiu',
    'escrito',
    'escrit',
    'scritto',
  ],
  ...[
    'scrisse',
    'escreveu',
    'schreef',
    'geschreven',
    'skrev',
    'skreiv',
    'skrifaði',
    'kirjoitti',
    'kirjutas',
    'rakstīja',
  ],
  ...[
    'rašė',
    'parašė',
    'napsal',
    'napsala',
    'napísal',
    'napísala',
    'napisał',
    'napisała',
    'pisze',
    'napisao',
    'napisala',
  ],
  ...[
    'napisal',
    'написао',
    'írta',
    'a scris',
    'yazdı',
    'έγραψε',
    'написал',
    'написала',
    'пишет',
    'написав',
    'пише',
    'напісаў',
  ],
  ...[
    'написа',
    'כתב',
    'כתבה',
    'كتب',
    'كتبت',
    'đã viết',
    'menulis',
    'tulis',
    'เขียนว่า',
    'เขียน',
    'ने लिखा',
    '写道',
    '寫道',
  ],
  ...['작성', 'のメッセージ', 'が書きました', 'shkroi'],
]
