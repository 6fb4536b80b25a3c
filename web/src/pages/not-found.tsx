import { Link } from '@tanstack/react-router'
import { Page } from '../parts/page/page.tsx'

export function NotFound() {
  return (
    <Page title="There is no such page" about="The address may be mistyped, or the page no longer exists.">
      <Link to="/">Go to the overview</Link>
    </Page>
  )
}
