import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newText } from './new-text.ts'

const header = 'From: Ann <ann@x.test>\nSent: Monday, 23 November 2026 10:12\nTo: Bob\nSubject: Re: Oil'

for (const [what, text, kept] of [
  ['a message that quotes nothing', 'Yes.\n\nAda', 'Yes.\n\nAda'],
  ['a quotation', 'Yes.\n\nOn Monday, Ann wrote:\n> Is it?\n', 'Yes.'],
  ['answers in between', '> A?\nYes.\n> B?\nNo.', 'Yes.\nNo.'],
  ['a signature', 'Yes.\n-- \nAda', 'Yes.'],
  ['Outlook in text', 'Yes.\n\n-----Original Message-----\nFrom: Ann\n\nIs it?', 'Yes.'],
  ['Samsung in text', `Yes.\n\n-------- Original message --------\n${header}\n\nIs it?`, 'Yes.'],
  ['Proton Mail in text', 'Yes.\n\n------- Original Message -------\nOn Monday, Ann wrote:\n\nIs it?', 'Yes.'],
  ['Outlook', `Yes.\n\n${header}\n\nIs it?`, 'Yes.'],
  ['Outlook on the web', `Yes.\n________________________________\n${header}\n\nIs it?`, 'Yes.'],
  ['Outlook in German', 'Ja.\n\nVon: Ann\nGesendet: Montag\nAn: Bob\nCc: Eve\nBetreff: Öl\n\nIst es?', 'Ja.'],
  ['French Outlook', 'Oui.\n\nDe\u00a0: Ann\nEnvoyé\u00a0: lundi\nÀ\u00a0: Bob\nObjet\u00a0: Huile\n\nOù ?', 'Oui.'],
  ['Outlook with bold names', 'Yes.\n\n*From:* Ann\n*Sent:* Monday\n*To:* Bob\n*Subject:* Oil\n\nIs it?', 'Yes.'],
  [
    'a message that is forwarded by Gmail',
    `See:\n\n---------- Forwarded message ---------\n${header}\n\nIs it?`,
    `See:\n\n---------- Forwarded message ---------\n${header}\n\nIs it?`,
  ],
  ['a message that only forwards another', `${header}\n\nIs it?`, `${header}\n\nIs it?`],
  ['who wrote, without when and what', 'Yes.\n\nFrom: here\nto there', 'Yes.\n\nFrom: here\nto there'],
  ['one in two paragraphs', 'Yes.\n\nFrom: Ann\n\nSent: now\nSubject: x', 'Yes.\n\nFrom: Ann\n\nSent: now\nSubject: x'],
  ['nothing', '', ''],
  ['code and lists', '\n  \n    def f():\n\treturn 1\n- a\n  - b  \n\n', '    def f():\n\treturn 1\n- a\n  - b'],
  ['code between quotations', '> A?\n    x = 1\n> B?\n\ty = 2', '    x = 1\n\ty = 2'],
  ['a header below a rule of dashes', `Yes.\n\n-----------------\n${header}\n\nIs it?`, 'Yes.'],
  ['a header below a rule and a name', `Yes.\nAda\n\n---\n\n${header}\n\nIs it?`, 'Yes.\nAda'],
  ['a rule and a header alone', `-----\n${header}\n\nIs it?`, `-----\n${header}\n\nIs it?`],
  ['a header that the author announces', `Ann writes:\n\n${header}\n\nIs it?`, `Ann writes:\n\n${header}\n\nIs it?`],
  ['a header of a broken line', `Yes.\n\n${header.replace('To: Bob', 'To: Bob;\n Cy;\n Dee')}\n\nIs it?`, 'Yes.'],
  ['a trip', 'Fly.\n\nFrom: Rome\nDate: 3 May\nTo: Oslo\n\nBye.', 'Fly.\n\nFrom: Rome\nDate: 3 May\nTo: Oslo\n\nBye.'],
  ['a mark alone', '-----Original Message-----\nIs it?', '-----Original Message-----\nIs it?'],
  ['dashes with other words', 'Yes.\n--- two ---\nNo.', 'Yes.\n--- two ---\nNo.'],
] as const)
  test(`what is new of ${what}`, () => assert.equal(newText(text), kept))

/** Headers above an answered message, with the words of the program in each language. */
for (const [language, answered] of Object.entries({
  Arabic: 'من: ع <a@b.test>\nتم الإرسال: الاثنين\nإلى: ب\nالموضوع: زيت',
  Bulgarian: 'От: Ана\nИзпратено: понеделник\nДо: Боб\nОтносно: Масло',
  Catalan: 'De: Anna\nEnviat el: dilluns\nPer a: Bob\nTema: Oli',
  Chinese: '发件人: 安\n发送时间: 2026年11月23日\n收件人: 鲍勃\n主题: 油',
  'Chinese, traditional': '寄件者： 安\n寄件日期： 2026年11月23日\n收件者： 鮑伯\n主旨： 油',
  Croatian: 'Od: Ana\nPoslano: ponedjeljak\nZa: Bob\nPredmet: Ulje',
  Czech: 'Od: Anna\nOdesláno: pondělí\nKomu: Bob\nPředmět: Olej',
  Danish: 'Fra: Anna\nSendt: mandag\nTil: Bob\nEmne: Olie',
  Dutch: 'Van: Anna\nVerzonden: maandag\nAan: Bob\nOnderwerp: Olie',
  Estonian: 'Saatja: Anna\nSaadetud: esmaspäev\nAdressaat: Bob\nTeema: Õli',
  Finnish: 'Lähettäjä: Anna\nLähetetty: maanantai\nVastaanottaja: Bob\nAihe: Öljy',
  French: 'De\u00a0: Anne\nDate\u00a0: lundi\nÀ\u00a0: Bob\nCc\u00a0: Eve\nObjet\u00a0: Huile',
  'French on a telephone': 'De : Anne\nDate : 23/11/26\nÀ : bob@b.test Objet : Huile',
  German: 'Von: Anna\nDatum: Montag\nAn: Bob\nCc: Eve\nBetreff: Öl',
  Greek: 'Από: Άννα\nΣτάλθηκε: Δευτέρα\nΠρος: Μπομπ\nΘέμα: Λάδι',
  Hebrew: '\u200fמאת: אנה\nנשלח: יום שני\nאל: בוב\nנושא: שמן',
  Hungarian: 'Feladó: Anna\nElküldve: hétfő\nCímzett: Bob\nTárgy: Olaj',
  Indonesian: 'Dari: Anna\nDikirim: Senin\nKepada: Bob\nSubjek: Minyak',
  Italian: 'Da: Anna\nInviato: lunedì\nA: Bob\nOggetto: Olio',
  Japanese: '差出人: 安\n送信日時: 2026年11月23日\n宛先: ボブ\n件名: 油',
  Korean: '보낸 사람: 안\n보낸 날짜: 2026년 11월 23일\n받는 사람: 밥\n제목: 기름',
  Latvian: 'No: Anna\nNosūtīts: pirmdiena\nKam: Bob\nTēma: Eļļa',
  Lithuanian: 'Nuo: Ana\nIšsiųsta: pirmadienis\nKam: Bob\nTema: Aliejus',
  Norwegian: 'Fra: Anna\nDato: mandag\nTil: Bob\nKopi: Eve\nEmne: Olje',
  Polish: 'Od: Anna\nWysłano: poniedziałek\nDo: Bob\nDW: Eve\nTemat: Olej',
  Portuguese: 'De: Ana\nEnviado: segunda-feira\nPara: Bob\nAssunto: Óleo',
  'Portuguese in Brazil': '**De:** Ana\n**Enviada em:** segunda-feira\n**Para:** Bob\n**Assunto:** Óleo',
  Romanian: 'De la: Ana\nTrimis: luni\nCătre: Bob\nSubiect: Ulei',
  Russian: 'От: Анна\nОтправлено: понедельник\nКому: Боб\nТема: Масло',
  Serbian: 'Od: Ana\nPoslato: ponedeljak\nZa: Bob\nTema: Ulje',
  Slovak: 'Od: Anna\nOdoslané: pondelok\nKomu: Bob\nPredmet: Olej',
  Slovenian: 'Od: Ana\nPoslano: ponedeljek\nZa: Bob\nZadeva: Olje',
  Spanish: 'De: Ana\nEnviado el: lunes\nPara: Bob\nAsunto: Aceite',
  Swedish: 'Från: Anna\nSkickat: måndag\nTill: Bob\nÄmne: Olja',
  Thai: 'จาก: แอน\nส่งเมื่อ: วันจันทร์\nถึง: บ็อบ\nเรื่อง: น้ำมัน',
  Turkish: 'Kimden: Ana\nGönderildi: Pazartesi\nKime: Bob\nKonu: Yağ',
  Ukrainian: 'Від: Анна\nНадіслано: понеділок\nКому: Боб\nТема: Олія',
  Vietnamese: 'Từ: An\nĐã gửi: Thứ Hai\nĐến: Bob\nChủ đề: Dầu',
}))
  test(`what is new is above a header in ${language}`, () => {
    assert.equal(newText(`Yes.\n\n${answered}\n\nIs it?`), 'Yes.')
    assert.equal(newText(`Yes.\n________________________________\n${answered}\n\nIs it?`), 'Yes.')
    assert.equal(newText(`${answered}\n\nIs it?`), `${answered}\n\nIs it?`)
  })

for (const mark of [
  ...['-----Messaggio originale-----', '----- Mensagem original -----', '-----Oorspronkelijk bericht-----'],
  ...['-----Ursprungligt meddelande-----', '-----Oprindelig meddelelse-----', '-----Alkuperäinen viesti-----'],
  ...['-----Původní zpráva-----', '-----Eredeti üzenet-----', '-------- Исходное сообщение --------'],
  ...['-----Özgün İleti-----', '---------- 原始邮件 ----------', '-----Message d’origine-----'],
  '*-----Original Message-----*',
])
  test(`what is new is above ${mark}`, () => assert.equal(newText(`Yes.\n\n${mark}\nX: y\n\nIs it?`), 'Yes.'))

/** As Gmail, Apple Mail, Outlook for Mac, Thunderbird and others introduce a quotation. */
for (const [what, introduction] of [
  ['English', 'On Mon, Nov 23, 2026 at 10:12 AM Ann Lee <ann@a.test> wrote:'],
  ['English, with a new line in the address', 'On Mon, Nov 23, 2026 at 10:12 AM Ann Lee <\nann@a.test> wrote:'],
  ['English, in three lines', 'On Nov 23, 2026,\nat 10:12,\nAnn Lee <ann@a.test> wrote:'],
  ['English, with the time last', 'Ann Lee <ann@a.test> wrote on 23/11/2026 10:12:'],
  ['English, between dashes', '---- On Mon, 23 Nov 2026 10:12:00 +0100 Ann Lee <ann@a.test> wrote ----'],
  ['English, without a colon', 'On Mon, 23 Nov 2026 10:12:00 +0100 Ann Lee <ann@a.test> wrote'],
  ['English, after an invisible mark', '\ufeffOn 23/11/2026 10:12, "Ann Lee" <ann@a.test> wrote:'],
  ['German', 'Ann Lee <ann@a.test> schrieb am Mo., 23. Nov. 2026 um 10:12 Uhr:'],
  ['German, in two lines', 'Ann Lee <ann@a.test>\nschrieb am Mo., 23. Nov. 2026 um 10:12 Uhr:'],
  ['German, of old', 'Am Mo., 23. Nov. 2026 um 10:12 Uhr schrieb Ann Lee <\nann@a.test>:'],
  ['German, after the point of a date', 'Am Mo., 23. Nov.\n2026 um 10:12 schrieb Ann Lee <ann@a.test>:'],
  ['Turkish', 'Ann Lee <ann@a.test>, 23 Kas 2026 Pzt, 10:12 tarihinde şunu yazdı:'],
  ['Turkish, in two lines', 'Ann Lee <ann@a.test>, 23 Kas 2026 Pzt,\n10:12 tarihinde şunu yazdı:'],
  ['Hungarian', 'Ann Lee <ann@a.test> ezt írta (időpont: 2026. nov. 23., H, 10:12):'],
  ['Hungarian, of another program', '2026.11.23. 10:12 keltezéssel, "Ann Lee" <ann@a.test> írta:'],
  ['French', 'Le lun. 23 nov. 2026 à 10:12, Ann Lee <ann@a.test> a écrit :'],
  ['Spanish', 'El lun, 23 nov 2026 a las 10:12, Ann Lee (<ann@a.test>) escribió:'],
  ['Italian', 'Il giorno lun 23 nov 2026 alle ore 10:12 Ann Lee <ann@a.test> ha scritto:'],
  ['Portuguese', 'Em seg., 23 de nov. de 2026 às 10:12, Ann Lee <ann@a.test> escreveu:'],
  ['Dutch', 'Op ma 23 nov 2026 om 10:12 schreef Ann Lee <ann@a.test>:'],
  ['Dutch, of a telephone', 'Op 23 nov. 2026 om 10:12 heeft Ann Lee <ann@a.test> het volgende geschreven:'],
  ['Danish', 'Den man. 23. nov. 2026 kl. 10.12 skrev Ann Lee <ann@a.test>:'],
  ['Norwegian', 'man. 23. nov. 2026 kl. 10:12 skrev Ann Lee <ann@a.test>:'],
  ['Norwegian, with a new line behind the address', 'man. 23. nov. 2026 kl. 10:12 skrev Ann Lee <ann@a.test\n>:'],
  ['Swedish', 'Den mån 23 nov. 2026 kl 10:12 skrev Ann Lee <ann@a.test>:'],
  ['Finnish', 'ma 23. marrask. 2026 klo 10.12 Ann Lee (ann@a.test) kirjoitti:'],
  ['Polish', 'pon., 23 lis 2026 o 10:12 Ann Lee <ann@a.test> napisał(a):'],
  ['Czech', 'po 23. 11. 2026 v 10:12 odesílatel Ann Lee <ann@a.test> napsal:'],
  ['Slovak', 'po 23. 11. 2026 o 10:12 Ann Lee <ann@a.test> napísal(a):'],
  ['Romanian', 'În lun., 23 nov. 2026 la 10:12, Ann Lee <ann@a.test> a scris:'],
  ['Russian', 'пн, 23 нояб. 2026 г. в 10:12, Ann Lee <ann@a.test>:'],
  ['Ukrainian', 'пн, 23 лист. 2026 р. о 10:12 Ann Lee <ann@a.test> пише:'],
  ['Greek', 'Στις Δευ 23 Νοε 2026 στις 10:12 π.μ., ο/η Ann Lee <ann@a.test> έγραψε:'],
  ['Japanese', '2026年11月23日(月) 10:12 Ann Lee <ann@a.test>:'],
  ['Korean', '2026년 11월 23일 (월) 오전 10:12, Ann Lee <ann@a.test>님이 작성:'],
  ['Chinese', 'Ann Lee <ann@a.test> 于2026年11月23日周一 10:12写道：'],
  ['Vietnamese', 'Vào Th 2, 23 thg 11, 2026 vào lúc 10:12 Ann Lee <ann@a.test> đã viết:'],
  ['Hebrew', '\u202bבתאריך יום ב׳, 23 בנוב׳ 2026 ב-10:12 מאת \u202aAnn Lee\u202c <\u202aann@a.test\u202c>:\u202c'],
] as const)
  test(`what is new is above an introduction in ${what}`, () => {
    for (const [below, answer] of [
      ['\n> Is it?', ''],
      ['\n\n> Is it?', ''],
      ['\n\n\n> Is it?\n\nNo.', '\n\nNo.'],
      ['\n\nIs it?\nIs it not?', ''],
    ] as const)
      assert.equal(newText(`Yes.\n\n${introduction}${below}`), `Yes.${answer}`)
    assert.equal(newText(`Yes.\n${introduction}\n> Is it?`), 'Yes.')
  })

for (const [what, text] of [
  ['a sentence with an address', 'Please ask Bob <bob@b.test> by 12:30:\n\n- for oil'],
  ['a sentence that begins like one', 'On Monday we need:\n\n- oil'],
  ['what somebody wrote, without when', 'As Ann wrote:\n\nOil is good.'],
  ['an introduction with which the message begins', 'On Nov 23, 2026, Ann <ann@a.test> wrote:\n\nIs it?'],
  ['an introduction of several words behind', 'Yes.\n\nOn Nov 23, 2026, Ann <ann@a.test> wrote: oil.\nNo.'],
] as const)
  test(`what is new of ${what} is all`, () => assert.equal(newText(text), text))

test('a sentence above an introduction is the author’s', () =>
  assert.equal(newText('On we go.\nSee below.\nBen <b@x.test> wrote:\n> A?'), 'On we go.\nSee below.'))

test('of any lines that seem to begin or introduce a quotation some thousands are looked at', () => {
  const heads = '-----\nFrom: x\nSent: y\nSubject: z\n'
  for (const line of ['From: x\n', 'On 2026 x:\n', 'On 2026 x:\n>\n', '\n', '<a@b\n>:\n', heads]) {
    const text = line.repeat(40_000)
    assert.ok(newText(text).length <= text.length)
  }
})
