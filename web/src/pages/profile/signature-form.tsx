import { useState } from 'react'
import { type Signature, setSignature } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import field from '../../parts/form/field.module.css'
import { useFieldError } from '../../parts/form/field-errors.ts'
import { linesAsHtml } from '../write/beginning/quote.ts'
import { signaturesQuery } from '../write/beginning/signature-queries.ts'
import Editor from '../write/editor/editor.tsx'
import styles from './signatures.module.css'

interface Props {
  readonly mailbox: string
  readonly signature: Signature | undefined
  readonly onClose: () => void
}

/** Edits a signature as it appears in messages; an empty one is removed. */
export function SignatureForm({ mailbox, signature, onClose }: Props) {
  const [content, setContent] = useState(() => ({
    html: signature ? (signature.html ?? linesAsHtml(signature.text)) : '',
    text: signature?.text ?? '',
  }))
  const isEmpty = content.text.trim() === ''
  return (
    <ActionDialog
      title={`Signature for ${mailbox}`}
      about="New messages and answers from this mailbox end with it, below a line with two hyphens."
      action={isEmpty && signature ? 'Remove' : 'Save'}
      ready={!isEmpty || signature !== undefined}
      fields={['text', 'html']}
      changes={[signaturesQuery.queryKey]}
      onSubmit={() => setSignature(mailbox, isEmpty ? { text: '' } : content)}
      onClose={onClose}
    >
      <div className={styles.editor}>
        <Editor
          label="Signature"
          html={content.html}
          onChange={setContent}
          pictureUrl={async () => undefined}
          onFiles={async () => []}
          takesFocus
        />
      </div>
      <FieldError name="text" />
      <FieldError name="html" />
    </ActionDialog>
  )
}

function FieldError({ name }: { name: string }) {
  const error = useFieldError(name)
  return (
    error !== undefined && (
      <span role="alert" className={field.error}>
        {error}
      </span>
    )
  )
}
