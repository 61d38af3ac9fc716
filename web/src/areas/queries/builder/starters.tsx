/** Ways to begin on an empty canvas: a class, a question, or a request. */
import { Link } from "@tanstack/react-router";
import { Button } from "../../../ui/button.tsx";

const STARTS = [
	{ label: "Tenants", className: "fvTenant" },
	{ label: "Endpoints", className: "fvCEp" },
	{ label: "Interfaces", className: "l1PhysIf" },
	{ label: "Faults", className: "faultInst" },
] as const;

interface StartersProps {
	onBegin(className: string): void;
	onPasteRequest(): void;
}

export function Starters({ onBegin, onPasteRequest }: StartersProps) {
	return (
		<section
			aria-labelledby="weft-starters"
			className="flex max-w-md flex-col gap-2.5 rounded-card border border-line bg-surface p-4"
		>
			<h2 id="weft-starters" className="m-0 font-semibold text-base">
				Start with
			</h2>
			<div className="flex flex-wrap gap-2">
				{STARTS.map(({ label, className }) => (
					<Button key={className} onClick={() => onBegin(className)}>
						{label}
					</Button>
				))}
			</div>
			<p className="m-0 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
				<span>or begin</span>
				<Link to="/gallery" className="rounded-cell font-medium text-accent-text hover:underline">
					From a question
				</Link>
				<Button onClick={onPasteRequest}>Paste a URL</Button>
			</p>
		</section>
	);
}
