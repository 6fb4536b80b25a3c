import { useRef } from 'react'
import { IconButton } from '../../../parts/form/icon-button.tsx'
import { addFiles } from '../open-message.ts'

/** Opens the choice of files. */
export function AttachButton() {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          void addFiles([...(target.files ?? [])], false)
          target.value = ''
        }}
      />
      <IconButton name="Attach files" icon="attachment" onPress={() => input.current?.click()} />
    </>
  )
}
