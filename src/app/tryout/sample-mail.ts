/** Sample mail: conversations that show threads, labels, filters and attachments. */
export interface Conversation {
  readonly to: string
  readonly subject: string
  readonly messages: readonly Sample[]
}

export interface Sample {
  readonly from: string
  readonly text: string
  readonly html?: string
  readonly attachment?: { readonly filename: string; readonly content: string }
  /** The message of the conversation that it answers; by default the one before it. */
  readonly answers?: number
}

const ada = 'Ada Lovelace <ada@tryout.test>'
const charles = 'Charles Babbage <charles@engines.example>'
const mary = 'Mary Somerville <mary@observatory.example>'
const luigi = 'Luigi Menabrea <luigi@turin.example>'
const support = 'Support <support@tryout.test>'
const jo = 'Jo Kim <jo@bakery.example>'
const sam = 'Sam Okafor <sam@cycles.example>'
const li = '李雷 <lilei@teahouse.example>'

export const conversations: readonly Conversation[] = [
  {
    to: 'ada@tryout.test',
    subject: 'Notes on the engine',
    messages: [
      { from: charles, text: 'The drawings for the mill are done. Would you look at the store before Friday?' },
      {
        from: ada,
        text: 'I have. The store holds enough columns, but the carriage will bind at speed.\n\n> Would you look at the store before Friday?',
      },
      { from: charles, text: 'Then we gear it down. Slower is cheaper than broken.' },
      { from: luigi, text: 'May I translate this exchange? It explains more than my whole paper.', answers: 1 },
      { from: ada, text: 'Please do, and I shall add notes. They may run longer than the paper.' },
    ],
  },
  {
    to: 'ada@tryout.test',
    subject: 'Translation of the memoir',
    messages: [
      {
        from: luigi,
        text: 'Here is the memoir. The French is mine; the errors in it too.',
        attachment: { filename: 'memoir.txt', content: 'Notions sur la machine analytique\n' },
      },
      { from: ada, text: 'Thank you. I have begun; note G alone wants a week.' },
      { from: luigi, text: 'Take two. Nobody else is writing it.' },
    ],
  },
  {
    to: 'ada@tryout.test',
    subject: 'Bernoulli numbers',
    messages: [
      { from: mary, text: 'Could an engine compute the Bernoulli numbers without a hand to guide it?' },
      { from: ada, text: 'With a loop within a loop, yes. I am writing the table of operations.' },
      {
        from: mary,
        text: 'The table as I understood it is attached. Operation 4 looks turned about to me.',
        attachment: { filename: 'operations.csv', content: 'step,operation,left,right\n4,divide,V5,V4\n' },
      },
      { from: ada, text: 'It is, well seen. V4 over V5.' },
    ],
  },
  {
    to: 'ada@tryout.test',
    subject: 'Dinner on Thursday',
    messages: [
      { from: mary, text: 'Eight o’clock, and no talk of cogs before the soup.' },
      { from: ada, text: 'Agreed. After the soup I promise nothing.' },
    ],
  },
  {
    to: 'ada@tryout.test',
    subject: 'Invoice 1843-07',
    messages: [
      {
        from: 'Clement & Sons <accounts@clement.example>',
        text: 'For 24 figure wheels, brass: 31 pounds. Payable in 30 days.',
        attachment: { filename: 'invoice-1843-07.txt', content: '24 figure wheels, brass ... 31 0 0\n' },
      },
    ],
  },
  {
    to: 'ada@tryout.test',
    subject: 'Invoice 1843-08',
    messages: [{ from: 'Clement & Sons <accounts@clement.example>', text: 'For re-cutting two of them: 1 pound 4.' }],
  },
  {
    to: 'ada@tryout.test',
    subject: 'The Mechanics’ Weekly, No. 112',
    messages: [
      {
        from: 'The Mechanics’ Weekly <newsletter@mechanics.example>',
        text: 'In this number: steam carriages, and whether they frighten horses.',
        html: '<h1>The Mechanics’ Weekly</h1><p>In this number: <b>steam carriages</b>, and whether they frighten horses.</p>',
      },
    ],
  },
  {
    to: 'ada@tryout.test',
    subject: 'The Mechanics’ Weekly, No. 113',
    messages: [
      {
        from: 'The Mechanics’ Weekly <newsletter@mechanics.example>',
        text: 'In this number: the horses reply.',
        html: '<h1>The Mechanics’ Weekly</h1><p>In this number: <b>the horses reply</b>.</p>',
      },
    ],
  },
  {
    to: 'ada@tryout.test',
    subject: '关于茶叶的样品',
    messages: [
      { from: li, text: '您好！样品已经寄出，大约两周后到。' },
      { from: ada, text: 'Thank you, I look forward to the tea.' },
      { from: li, text: '不客气。请告诉我您最喜欢哪一种。' },
    ],
  },
  {
    to: 'support@tryout.test',
    subject: 'Cannot log in since this morning',
    messages: [
      { from: jo, text: 'It says my password is wrong, but I have not changed it. Orders are waiting.' },
      { from: support, text: 'Sorry about that. Which address do you use to log in?' },
      { from: jo, text: 'jo@bakery.example, as always.' },
      { from: support, text: 'Found it: the address was stored with a space behind it. Please try again.' },
      { from: jo, text: 'Works. The bread thanks you.' },
    ],
  },
  {
    to: 'support@tryout.test',
    subject: 'URGENT: the webhook page is blank',
    messages: [
      { from: sam, text: 'Blank since the update, in every browser we have here.' },
      { from: support, text: 'We see it too and are on it. The API itself is fine.' },
      { from: sam, text: 'It is back. What was it?' },
      { from: support, text: 'A missing comma, in the one file without a test. It has one now.' },
    ],
  },
  {
    to: 'support@tryout.test',
    subject: 'Can a label have two colours?',
    messages: [
      { from: sam, text: 'Our team is split between blue and green and this is becoming a problem.' },
      { from: support, text: 'One colour a label, I am afraid. Two labels are a fine peace treaty, though.' },
    ],
  },
  {
    to: 'support@tryout.test',
    subject: 'Invoice for October is missing',
    messages: [
      { from: jo, text: 'We have September and November, but no October.' },
      {
        from: support,
        text: 'Here it is. It had gone to your old address.',
        attachment: { filename: 'invoice-october.txt', content: 'October: 12.00\n' },
      },
      { from: jo, text: 'Got it, thank you!' },
    ],
  },
  {
    to: 'support@tryout.test',
    subject: 'Feature wish: a dark reference page',
    messages: [{ from: li, text: 'Reading the API reference at night is bright. 谢谢!' }],
  },
]
