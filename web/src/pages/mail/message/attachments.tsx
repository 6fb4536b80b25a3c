import { type Attachment, getDownloadMessageAttachmentUrl, type Message } from '../../../api/generated.ts'
import { Icon } from '../../../parts/icon.tsx'
import { plain } from '../../../parts/text/plain.ts'
import { size } from '../../../parts/text/size.ts'
import { besideText, isViewable } from '../html/pictures.ts'
import styles from './attachments.module.css'

interface Props {
  readonly message: Message
  /** The Content-IDs of the pictures that its text shows; undefined if that is not known yet. */
  readonly inText: ReadonlySet<string> | undefined
}

/** A message's attachments that its text does not show: to be saved, and pictures to be seen. */
export function Attachments({ message, inText }: Props) {
  const attachments = besideText(message.attachments, inText)
  if (attachments.length === 0) return null
  return (
    <ul className={styles.attachments} aria-label="Attachments">
      {attachments.map((attachment) => (
        <li key={attachment.id}>
          <File message={message.id} attachment={attachment} />
          {isPackedByOutlook(attachment) && (
            <p className={styles.note}>
              Outlook has packed files of this message in here, and Mailroom does not unpack them. Ask for the message
              in HTML or plain text, or save this file and open it with a program for winmail.dat.
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

/** TNEF: no library that reads it is kept well enough to be given files of strangers. */
const isPackedByOutlook = ({ content_type, filename }: Attachment) =>
  /^application\/(vnd\.)?ms-tnef$/i.test(content_type) || /^winmail\.dat$/i.test(filename ?? '')

function File({ message, attachment }: { message: string; attachment: Attachment }) {
  const url = getDownloadMessageAttachmentUrl(message, attachment.id)
  const name = plain(attachment.filename ?? '') || 'Attachment without a name'
  return (
    <a className={styles.file} href={url} download={attachment.filename ?? ''}>
      {isViewable(attachment) ? <img src={url} alt="" loading="lazy" /> : <Icon name="attachment" />}
      <bdi className={styles.name}>{name}</bdi>
      <span className={styles.type}>
        <bdi>{plain(attachment.content_type)}</bdi>, {size(attachment.size_bytes)}
      </span>
      <Icon name="download" />
    </a>
  )
}
