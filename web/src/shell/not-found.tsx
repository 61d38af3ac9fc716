/** In place of a page at an address that no page has. */
import { ButtonLink } from "../ui/button.tsx";
import { Empty, PageHead } from "../ui/page.tsx";

export function NotFound() {
	return (
		<>
			<PageHead title="Page not found" />
			<Empty
				action={
					<>
						<ButtonLink variant="primary" to="/">
							To the overview
						</ButtonLink>
						<ButtonLink to="/library">To the library</ButtonLink>
					</>
				}
			>
				There is no page at this address. It may be misspelt, or the object was deleted.
			</Empty>
		</>
	);
}
