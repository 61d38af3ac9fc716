/** A DN on one line. Where it does not fit, its middle is left out: its end tells objects apart. */
import { splitDnParts } from "../platform/dn-text.ts";

export function Dn({ dn }: { dn: string }) {
	const { head, tail } = splitDnParts(dn);
	return (
		<span className="mono block truncate" title={dn}>
			<span className="inline-block truncate align-bottom" style={{ maxWidth: headWidth(tail) }}>
				{head}
			</span>
			{tail}
		</span>
	);
}

/** CSS width that is left for the head. */
export const headWidth = (tail: string): string => `max(4ch, calc(100% - ${tail.length}ch))`;
