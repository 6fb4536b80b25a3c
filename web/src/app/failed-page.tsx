import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Button } from '../parts/form/button.tsx'
import { Page } from '../parts/page/page.tsx'
import { isOfLoading, notLoaded } from '../parts/state/part.tsx'

/** Shown instead of a page that failed. */
export function FailedPage({ error }: ErrorComponentProps) {
  const reload = (
    <Button look="primary" onPress={() => location.reload()}>
      Load the page again
    </Button>
  )
  return (
    <div role="alert">
      <Page title="This page cannot be shown" about={isOfLoading(error) ? notLoaded : `${error}`} actions={reload}>
        <Link to="/" reloadDocument>
          Go to the overview
        </Link>
      </Page>
    </div>
  )
}
