/** Relays that replace the Message-ID of what they pass on, and tell the new one in their reply to the end of data. Others' replies
 *  hold queue ids, which no header has. */

/** The longest id that is read of a reply. Those of the relays here have up to some 100 characters. */
const longest = 250

/** Amazon SES, https://docs.aws.amazon.com/ses/latest/dg/header-fields.html: `250 Ok ID`. The Message-ID becomes
 *  `<ID@REGION.amazonses.com>`; in the oldest region the domain has another name. Only the relay's host tells the region. */
const sesHost =
  /^(?:[a-z0-9-]+\.)?email-smtp(?:-fips)?\.([a-z]{2}(?:-[a-z]+){1,3}-\d{1,2})\.(?:vpce\.)?amazonaws\.com\.?$/
const sesReply = /^250 (?:2\.\d\.\d )?ok ([0-9a-f]{16}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-[0-9a-f]{6})$/i
const oldestRegion = 'us-east-1'

/** Exchange Online, https://git-scm.com/docs/git-send-email (`--outlook-id-fix`): `250 2.0.0 OK <ID> [Hostname=…]`, also
 *  `250 2.6.0 <ID> [InternalId=…, Hostname=…] Queued mail for delivery`. The id is ours if it was kept. */
const exchangeReply = /^250 2\.\d\.\d (?:OK )?(<[!-;=?-~]+>) \[(?:InternalId=\d+, )?Hostname=[A-Za-z0-9.-]+\]/

/** The ends of ids that these relays make. Only such an id can be one of theirs. */
const ends = ['.amazonses.com>', '.outlook.com>', '.partner.outlook.cn>']
const longestEnd = Math.max(...ends.map(({ length }) => length))

/** Whether a relay may have made this id. */
export function mayBeGiven(id: string): boolean {
  const end = id.slice(-longestEnd).toLowerCase()
  return id.length <= longest && ends.some((one) => end.endsWith(one))
}

/** The Message-ID, `<…>` in lower case, that a relay has given a message in place of ours; undefined if it has not, or does not say.
 *  `host` is the relay's name, and `reply` its reply to the end of data, as one printable line. */
export function givenId(host: string, reply: string): string | undefined {
  const [, region] = sesHost.exec(host.toLowerCase()) ?? []
  const [, ses] = (region !== undefined && sesReply.exec(reply)) || []
  const domain = `${region === oldestRegion ? 'email' : region}.amazonses.com`
  const id = ses === undefined ? exchangeReply.exec(reply)?.[1] : `<${ses}@${domain}>`
  return id !== undefined && mayBeGiven(id) ? id.toLowerCase() : undefined
}
