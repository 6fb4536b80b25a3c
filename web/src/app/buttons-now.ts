/** A button of the page. */
interface Shown {
  readonly name: string
  /** Whether it is about one of several things that are listed. */
  readonly inRows: boolean
  readonly run: () => void
}

/** The enabled buttons of the page and of the composer, without those whose name several buttons have. */
export function buttonsNow(): Shown[] {
  const shown = [...document.querySelectorAll<HTMLButtonElement>('main button, [role=dialog] button')]
    .filter((button) => !button.matches(':disabled, [aria-haspopup=listbox], :is([inert], [aria-hidden=true]) *'))
    .filter((button) => button.checkVisibility())
    .map((button) => ({
      name: button.getAttribute('aria-label') ?? button.textContent.trim(),
      inRows: button.closest('tr, li, [role=row]') !== null,
      run: () => button.click(),
    }))
  const names = shown.map(({ name }) => name)
  return shown.filter(({ name }) => name !== '' && names.indexOf(name) === names.lastIndexOf(name))
}
