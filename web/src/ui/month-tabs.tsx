/** Links between a list and its view by month; the view is in the address. */
import { Link } from "@tanstack/react-router";
import { getTabClass } from "./classes.ts";

export function MonthTabs({ label, view }: { readonly label: string; readonly view: string | undefined }) {
	return (
		<nav aria-label={label} className="flex gap-1 border-line border-b">
			{(["list", "month"] as const).map((name) => (
				<Link
					key={name}
					to="."
					search={((before: object) => ({ ...before, view: name === "list" ? undefined : name })) as never}
					aria-current={(view ?? "list") === name ? "page" : undefined}
					className={getTabClass((view ?? "list") === name)}
				>
					{name === "list" ? "List" : "Month"}
				</Link>
			))}
		</nav>
	);
}
