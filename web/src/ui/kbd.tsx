/** Keys as they are printed on them. */
import { showCombo } from "../platform/combos.ts";
import { joinClasses } from "./classes.ts";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** @param plain without boxes, in the colour around it: on a coloured button */
export function Keys({ combo, plain = false }: { combo: string; plain?: boolean }) {
	return (
		<span className="inline-flex items-center gap-1" aria-hidden="true">
			{showCombo(combo, isMac).map((part, index) =>
				part === "then" ? null : (
					<kbd
						// biome-ignore lint/suspicious/noArrayIndexKey: the same keys may come twice, and never move
						key={index}
						className={joinClasses(
							"mono inline-flex items-center justify-center text-2xs!",
							!plain && "h-[18px] min-w-[18px] rounded-cell border border-line bg-surface px-1 text-muted",
						)}
					>
						{part}
					</kbd>
				),
			)}
		</span>
	);
}
