/** A link in the look of a button to a page of another server, in a tab of its own. */
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";

export function OutsideLink({ href, children }: { href: string; children: ReactNode }) {
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
