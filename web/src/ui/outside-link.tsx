/** Links to pages of other servers, in a tab of their own. */
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";

interface OutsideLinkProps {
	readonly href: string;
	readonly children: ReactNode;
}

/** A link in the look of a button. */
export function OutsideLink({ href, children }: OutsideLinkProps) {
	return (
		<a
			href={href}
			target="_blank"
			rel="noopener noreferrer"
			className={
				"inline-flex h-7 items-center gap-1.5 rounded-control border border-line bg-surface px-2.5 " +
				"font-medium hover:bg-sunken"
			}
		>
			<ExternalLink size={14} aria-hidden="true" /> {children}
		</a>
	);
}

/** A link within a text. An address that does not begin with http is plain text. */
export function OutsideTextLink({ href, children }: OutsideLinkProps) {
	if (!/^https?:/.test(href)) return children;
	return (
		<a href={href} target="_blank" rel="noopener noreferrer" className="rounded-cell text-accent-text hover:underline">
			{children} <ExternalLink size={12} className="inline" aria-hidden="true" />
		</a>
	);
}
