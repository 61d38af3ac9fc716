/** The search part of the address as the state of a page. */
import { useState } from "react";

type Navigate<S> = (options: { search: (before: S) => S; replace: boolean }) => Promise<void>;

/**
 * Returns the page's search parameters, and a function that changes some of them. A change shows at
 * once: the router follows a moment later, and a box that is checked must not jump back until then.
 */
export function useSearchState<S extends object>(
	search: S,
	navigate: Navigate<S>,
	{ replace }: { readonly replace: boolean },
): readonly [S, (change: Partial<S>) => void] {
	// Holds until the router has another search object.
	const [ahead, setAhead] = useState<{ readonly of: S; readonly change: Partial<S> } | null>(null);
	const pending = ahead?.of === search ? ahead.change : undefined;
	return [
		pending === undefined ? search : { ...search, ...pending },
		(change) => {
			setAhead({ of: search, change: { ...pending, ...change } });
			void navigate({ search: (before) => ({ ...before, ...change }), replace });
		},
	];
}
