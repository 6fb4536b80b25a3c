import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readingMailbox, startServing } from '#test/world/imap/serving.ts'

const serving = await startServing()
after(() => serving[Symbol.asyncDispose]())
const { organization } = serving
let count = 0

/** A client of a mailbox of its own. */
async function newClient() {
  return await serving.signedIn(await readingMailbox(organization, `box${++count}`))
}

/** Commands, then one whose untagged responses and answer are compared. */
const exchanges: readonly (readonly [
  what: string,
  before: readonly string[],
  said: string,
  told: readonly (string | RegExp)[],
])[] = [
  ['the separator', [], 'LIST "" ""', ['LIST (\\Noselect) "/" ""', /^OK/]],
  [
    'the standard folders with their uses',
    [],
    'LIST "" *',
    [
      'LIST (\\HasNoChildren) "/" INBOX',
      'LIST (\\HasNoChildren \\Archive) "/" Archive',
      'LIST (\\HasNoChildren \\Drafts) "/" Drafts',
      'LIST (\\HasNoChildren \\Junk) "/" Junk',
      'LIST (\\HasNoChildren \\Sent) "/" Sent',
      'LIST (\\HasNoChildren \\Trash) "/" Trash',
      /^OK/,
    ],
  ],
  ['INBOX in any case', [], 'LIST "" inBox', ['LIST (\\HasNoChildren) "/" INBOX', /^OK/]],
  ['a use alone', [], 'LIST (SPECIAL-USE) "" J*', ['LIST (\\HasNoChildren \\Junk) "/" Junk', /^OK/]],
  [
    'folders within one that nobody has made',
    ['CREATE a/b'],
    'LIST "" a*',
    ['LIST (\\NonExistent \\Noselect \\HasChildren) "/" a', 'LIST (\\HasNoChildren) "/" a/b', /^OK/],
  ],
  [
    'one level',
    ['CREATE x/a', 'CREATE x/b/c'],
    'LIST "" x/%',
    ['LIST (\\HasNoChildren) "/" x/a', 'LIST (\\NonExistent \\Noselect \\HasChildren) "/" x/b', /^OK/],
  ],
  ['the level below a reference', ['CREATE a/b', 'CREATE a/b/c'], 'LIST a/ %', ['LIST (\\HasChildren) "/" a/b', /^OK/]],
  [
    'several patterns, each name once',
    ['CREATE a'],
    'LIST "" (a "*a" INBOX)',
    ['LIST (\\HasNoChildren) "/" INBOX', 'LIST (\\HasNoChildren) "/" a', /^OK/],
  ],
  [
    'what is subscribed',
    ['CREATE a', 'CREATE b', 'UNSUBSCRIBE b'],
    'LIST (SUBSCRIBED) "" (a b)',
    ['LIST (\\HasNoChildren \\Subscribed) "/" a', /^OK/],
  ],
  [
    'whether it is subscribed',
    ['CREATE a', 'CREATE b', 'UNSUBSCRIBE b'],
    'LIST "" (a b) RETURN (SUBSCRIBED CHILDREN)',
    ['LIST (\\HasNoChildren \\Subscribed) "/" a', 'LIST (\\HasNoChildren) "/" b', /^OK/],
  ],
  [
    'what is above subscribed ones',
    ['CREATE a', 'CREATE a/b', 'UNSUBSCRIBE a'],
    'LIST (SUBSCRIBED RECURSIVEMATCH) "" %a',
    ['LIST (\\HasChildren) "/" a ("CHILDINFO" ("SUBSCRIBED"))', /^OK/],
  ],
  ['RECURSIVEMATCH alone', [], 'LIST (RECURSIVEMATCH) "" %', [/^BAD/]],
  ['an unknown option', [], 'LIST (FANCY) "" %', [/^BAD/]],
  ['LSUB with options', [], 'LSUB "" (%)', [/^BAD/]],
  ['LSUB with what is above', ['CREATE a/b'], 'LSUB "" a%', ['LSUB (\\Noselect) "/" a', /^OK/]],
  ['LSUB of all below', ['CREATE a/b', 'CREATE a/c', 'UNSUBSCRIBE a/c'], 'LSUB "" a*', ['LSUB () "/" a/b', /^OK/]],
  [
    'status',
    ['CREATE a'],
    'STATUS a (MESSAGES RECENT UNSEEN UIDNEXT SIZE DELETED HIGHESTMODSEQ APPENDLIMIT)',
    ['STATUS a (MESSAGES 0 RECENT 0 UNSEEN 0 UIDNEXT 1 SIZE 0 DELETED 0 HIGHESTMODSEQ 1 APPENDLIMIT 26214400)', /^OK/],
  ],
  ['status of nothing', ['CREATE a'], 'STATUS a ()', [/^BAD/]],
  ['status of no folder', [], 'STATUS nowhere (MESSAGES)', [/^NO \[NONEXISTENT\] No such mailbox$/]],
  [
    'status of all that is listed',
    ['CREATE a'],
    'LIST "" a RETURN (STATUS (MESSAGES))',
    ['LIST (\\HasNoChildren) "/" a', 'STATUS a (MESSAGES 0)', /^OK/],
  ],
  ['a created folder has an id', [], 'CREATE a', [/^OK \[MAILBOXID \(f[0-9a-z]+\)\] Created$/]],
  ['one that is there', ['CREATE a'], 'CREATE a', [/^NO \[ALREADYEXISTS\]/]],
  ['INBOX cannot be made', [], 'CREATE inbox', [/^NO \[ALREADYEXISTS\]/]],
  ['a separator at the end', ['CREATE a/'], 'LIST "" a*', ['LIST (\\HasNoChildren) "/" a', /^OK/]],
  ['a name that no folder has', [], 'CREATE "a//b"', [/^NO \[CANNOT\]/]],
  ['a use that a folder has', [], 'CREATE a (USE (\\Sent))', [/^NO \[USEATTR\] Sent has this use already/]],
  ['a use that none can have', [], 'CREATE a (USE (\\All))', [/^NO \[USEATTR\]/]],
  [
    'a name in modified UTF-7',
    ['CREATE "&ZeVnLIqe-"'],
    'LIST "" "&ZeVnLIqe-"',
    ['LIST (\\HasNoChildren) "/" &ZeVnLIqe-', /^OK/],
  ],
  [
    'the same in UTF-8',
    ['CREATE "&ZeVnLIqe-"', 'ENABLE IMAP4rev2'],
    `LIST "" ${Buffer.from('"日*"').toString('latin1')}`,
    [`LIST (\\HasNoChildren) "/" ${Buffer.from('"日本語"').toString('latin1')}`, /^OK/],
  ],
  ['a deleted folder is gone', ['CREATE a', 'DELETE a'], 'LIST "" a', [/^OK/]],
  ['one that is not there', [], 'DELETE a', [/^NO \[NONEXISTENT\]/]],
  ['a standard folder stays', [], 'DELETE Sent', [/^NO \[CANNOT\]/]],
  ['INBOX stays', [], 'DELETE INBOX', [/^NO \[CANNOT\]/]],
  [
    'those within a deleted one stay',
    ['CREATE a', 'CREATE a/b', 'DELETE a'],
    'LIST "" a*',
    ['LIST (\\NonExistent \\Noselect \\HasChildren) "/" a', 'LIST (\\HasNoChildren) "/" a/b', /^OK/],
  ],
  [
    'a renamed tree',
    ['CREATE a', 'CREATE a/b', 'UNSUBSCRIBE a/b', 'RENAME a x/y'],
    'LIST "" (a* x*) RETURN (SUBSCRIBED)',
    [
      'LIST (\\NonExistent \\Noselect \\HasChildren) "/" x',
      'LIST (\\HasChildren \\Subscribed) "/" x/y',
      'LIST (\\HasNoChildren) "/" x/y/b',
      /^OK/,
    ],
  ],
  ['a new name that is taken', ['CREATE a', 'CREATE b'], 'RENAME a b', [/^NO \[ALREADYEXISTS\]/]],
  [
    'what has only others within it is renamed with them',
    ['CREATE a/b', 'RENAME a x'],
    'LIST "" (a* x*)',
    ['LIST (\\NonExistent \\Noselect \\HasChildren) "/" x', 'LIST (\\HasNoChildren) "/" x/b', /^OK/],
  ],
  ['a name within that is taken', ['CREATE a/b', 'CREATE x/b'], 'RENAME a x', [/^NO \[CANNOT\]/]],
  ['RENAME without a second name', [], 'RENAME a', [/^BAD/]],
  [
    'what would be read as another folder is not listed above others',
    ['CREATE spam/a', 'CREATE sent/a', 'CREATE Sent/b'],
    'LIST "" (s* Sent*)',
    [
      'LIST (\\HasChildren \\Sent) "/" Sent',
      'LIST (\\HasNoChildren) "/" Sent/b',
      'LIST (\\HasNoChildren) "/" sent/a',
      'LIST (\\HasNoChildren) "/" spam/a',
      /^OK/,
    ],
  ],
  ['renaming what is not there', [], 'RENAME a b', [/^NO \[NONEXISTENT\]/]],
  ['renaming a standard folder', [], 'RENAME Sent a', [/^NO \[CANNOT\]/]],
  ['renaming into itself', ['CREATE a'], 'RENAME a a/b', [/^NO \[CANNOT\]/]],
  ['unsubscribing from what is not there', [], 'UNSUBSCRIBE a', [/^OK/]],
  ['subscribing to what is not there', [], 'SUBSCRIBE a', [/^NO \[NONEXISTENT\]/]],
  ['subscribing again', ['CREATE a', 'UNSUBSCRIBE a', 'SUBSCRIBE a'], 'LSUB "" a', ['LSUB () "/" a', /^OK/]],
  ['the roots', [], 'NAMESPACE', ['NAMESPACE (("" "/")) (("Shared/" "/")) NIL', /^OK/]],
  ['rights', ['CREATE a'], 'MYRIGHTS a', ['MYRIGHTS a lrswipkxtecd', /^OK/]],
  ['rights for what stays', [], 'MYRIGHTS INBOX', ['MYRIGHTS INBOX lrswipktecd', /^OK/]],
  [
    'rights in a list',
    [],
    'LIST "" INBOX RETURN (MYRIGHTS)',
    ['LIST (\\HasNoChildren) "/" INBOX', 'MYRIGHTS INBOX lrswipktecd', /^OK/],
  ],
  ['sharing', [], 'SETACL INBOX eve@x.test lr', [/^NO \[NOPERM\]/]],
  ['the quota', [], 'GETQUOTAROOT INBOX', ['QUOTAROOT INBOX ""', /^QUOTA "" \(STORAGE \d+ \d+\)$/, /^OK/]],
  ['another quota', [], 'GETQUOTA other', [/^NO \[NONEXISTENT\]/]],
  ['enabling', [], 'ENABLE condstore X-OTHER', ['ENABLED CONDSTORE', /^OK/]],
  ['who serves', [], 'ID ("name" "test" "version" NIL)', ['ID ("name" "Mailroom")', /^OK/]],
  [
    'an own folder called Shared',
    ['CREATE Shared/notes'],
    'LIST "" Shared*',
    ['LIST (\\NonExistent \\Noselect \\HasChildren) "/" Shared', 'LIST (\\HasNoChildren) "/" Shared/notes', /^OK/],
  ],
]

for (const [what, before, said, told] of exchanges)
  test(`folders: ${what}`, async () => {
    await using client = await newClient()
    for (const command of before) {
      const { status, text } = await client.run(command)
      assert.equal(status, 'OK', `${command}: ${text}`)
    }
    const { status, text, untagged } = await client.run(said)
    const heard = [...untagged, `${status} ${text}`]
    assert.equal(heard.length, told.length, heard.join('\n'))
    for (const [at, expected] of told.entries())
      if (typeof expected === 'string') assert.equal(heard[at], expected)
      else assert.match(heard[at] ?? '', expected)
  })
