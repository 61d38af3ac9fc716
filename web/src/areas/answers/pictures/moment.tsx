/** The moment of a picture: now, a time of the past, or the moment before the newest snapshot. */
import type { PictureClass } from "@weft/contracts";
import { ChevronLeft } from "lucide-react";
import { toInstant, toLocal } from "../../../platform/instant.ts";
import { useTimes } from "../../../platform/profile.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { WhenField } from "../../../ui/when-field.tsx";
import { findMomentBefore } from "./moment-before.ts";

interface MomentFieldProps {
	/** ISO time; undefined: now. */
	readonly at: string | undefined;
	readonly classes: readonly PictureClass[];
	onChange(at: string | undefined): void;
}

export function MomentField({ at, classes, onChange }: MomentFieldProps) {
	const times = useTimes();
	const before = findMomentBefore(classes);
	return (
		<>
			<IconButton
				label="Before the newest snapshot"
				icon={ChevronLeft}
				disabled={before === null}
				onClick={() => before !== null && onChange(before)}
			/>
			<WhenField
				onlyComplete
				hideLabel
				label="Moment"
				title={`The network as it was then, ${times.zone}`}
				kind="datetime"
				value={at === undefined ? "" : toLocal(at, times.zone, { seconds: true })}
				onChange={(value) => onChange(toInstant(value, times.zone) || undefined)}
			/>
			<Button aria-pressed={at === undefined} onClick={() => onChange(undefined)}>
				Now
			</Button>
		</>
	);
}
