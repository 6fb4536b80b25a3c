import { type Attachment, getDownloadMessageAttachmentUrl, type Message } from '../../../api/generated.ts'
import { Icon } from '../../../parts/icon.tsx'
import { plain } from '../../../parts/text/plain.ts'
import { size } from '../../../parts/text/size.ts'
import { isShownInText, isViewable } from '../html/pictures.ts'
import type { Place } from '../place.ts'
import styles from './attachments.module.css'

/** A message's attachments: to be saved, and pictures to be seen. */
export function Attachments({ place, message }: { place: Place; message: Message }) {
  const attachments = message.attachments.filter((one) => !isShownInText(one, message.html))
  if (attachments.length === 0) return null
  return (
    <ul className={styles.attachments} aria-label="Attachments">
      {attachments.map((attachment) => (
        <li key={attachment.id}>
          <File place={place} uid={message.uid} attachment={attachment} />
        </li>
      ))}
    </ul>
  )
}

function File({ place, uid, attachment }: { place: Place; uid: number; attachment: Attachment }) {
  const url = getDownloadMessageAttachmentUrl(uid, attachment.id, { ...place })
  const name = plain(attachment.filename ?? '') || 'Attachment without a name'
  return (
    <a className={styles.file} href={url} download={attachment.filename ?? ''}>
      {isViewable(attachment) ? <img src={url} alt="" loading="lazy" /> : <Icon name="attachment" />}
      <bdi className={styles.name}>{name}</bdi>
      <span className={styles.size}>{size(attachment.size_bytes)}</span>
      <Icon name="download" />
    </a>
  )
}
