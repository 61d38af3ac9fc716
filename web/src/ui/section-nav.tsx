/** Links between the pages of one section, below the head. */
import { Link, type LinkProps } from "@tanstack/react-router";

export interface SectionPage {
	readonly to: NonNullable<LinkProps["to"]>;
	readonly params?: Record<string, string>;
	readonly label: string;
}

export function SectionNav({ label, pages }: { label: string; pages: readonly SectionPage[] }) {
	return (
		<nav aria-label={label} className="flex flex-wrap gap-1 border-line border-b px-4">
			{pages.map(({ to, params, label: name }) => (
				<Link
					key={name}
					to={to}
					params={params as never}
					activeOptions={{ exact: true, includeSearch: false }}
					className="-mb-px border-transparent border-b-2 px-2 py-1.5 text-muted hover:text-fg"
					activeProps={{ className: "border-accent! text-accent-text! font-medium" }}
				>
					{name}
				</Link>
			))}
		</nav>
	);
}
