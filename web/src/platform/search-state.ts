/** The search part of the address as the state of a page. */
import { useRef, useState } from "react";

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
	/** All changes since the router followed the last time. */
	const [ahead, setAhead] = useState<Partial<S> | null>(null);
	const changes = useRef(0);
	return [
		ahead === null ? search : { ...search, ...ahead },
		(change) => {
			changes.current += 1;
			const number = changes.current;
			setAhead((before) => ({ ...before, ...change }));
			const follow = () => {
				// A later change may have come meanwhile.
				if (changes.current === number) setAhead(null);
			};
			void navigate({ search: (before) => ({ ...before, ...change }), replace }).then(follow, follow);
		},
	];
}
