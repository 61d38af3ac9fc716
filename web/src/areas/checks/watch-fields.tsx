/** How a check watches: how often its query runs, on which fabrics, and whom its alerts reach. */
import type { IntervalMinutes } from "@weft/contracts";
import { INTERVAL_MINUTES } from "@weft/contracts/browser";
import { type ReactNode, useState } from "react";
import { findProblem, type Problem } from "../../platform/problem.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { chooseTarget, useTarget } from "../../platform/target.ts";
import { AudienceField } from "../../ui/audience-field.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Banner, ProblemBanner } from "../../ui/page.tsx";
import { ConnectionsField } from "./connections-field.tsx";
import { NOTIFY_START, type NotifyDraft, RecipientsField } from "./recipients-field.tsx";

const NO_FABRIC = "There is no default fabric: choose a fabric below.";
export const NEVER = "never";
const HOURLY = "hourly";
const DAILY = "daily";
const USUAL = "15";
const CHOICES = [
	...INTERVAL_MINUTES.map((minutes) => ({ value: String(minutes), label: `Every ${minutes} minutes` })),
	{ value: HOURLY, label: "Every hour" },
	{ value: DAILY, label: "Every day at 06:00" },
];
const BY_HAND = { value: NEVER, label: "Only when I run it" };

/** Fields of the service that have a place among these. */
const PLACED = /^(controller_connection_ids$|schedule\.|notify\.|is_public$)/;

export interface Watching {
	/** A choice of how often. */
	readonly often: string;
	readonly connectionIds: readonly string[];
	readonly notify: NotifyDraft;
	readonly isPublic: boolean;
}

/** The schedule of a choice as the service takes it, or null for none. */
export function buildSchedule(often: string, timezone: string) {
	if (often === NEVER) return null;
	if (often === HOURLY) return { frequency: "hourly", minute_of_hour: 0, timezone } as const;
	if (often === DAILY) return { frequency: "daily", time_of_day: "06:00", timezone } as const;
	return { frequency: "minutes", interval_minutes: Number(often) as IntervalMinutes, timezone } as const;
}

/** The choices of a dialog, and the fields of a request that they stand for. */
export function useWatching(start: Partial<Watching> = {}) {
	const canSchedule = useMay()("add_scheduledtask");
	const [watching, setWatching] = useState<Watching>({
		often: canSchedule ? USUAL : NEVER,
		connectionIds: [],
		notify: NOTIFY_START,
		isPublic: false,
		...start,
	});
	const times = useTimes();
	const target = useTarget();
	const preferred = useProfile()?.preferences.default_controller_connection_id;
	const { often, connectionIds, notify, isPublic } = watching;
	return {
		watching,
		set: (change: Partial<Watching>) => setWatching((before) => ({ ...before, ...change })),
		/** Without a named fabric the service takes the default one, which is stored first. */
		async buildBody() {
			if (connectionIds.length === 0 && preferred === null && target !== undefined) await chooseTarget(target.id);
			return {
				controller_connection_ids: [...connectionIds],
				schedule: buildSchedule(often, times.zone),
				notify,
				is_public: isPublic,
			};
		},
	};
}

interface WatchFieldsProps {
	readonly watching: Watching;
	set(change: Partial<Watching>): void;
	readonly errors: Problem["fields"];
	/** Whether a schedule has to be chosen. */
	readonly isScheduled?: boolean;
	/** Whether the fabrics are decided elsewhere. */
	readonly hasFabrics?: boolean;
	/** Recipients in place of those of a new check. */
	readonly recipients?: ReactNode;
}

export function WatchFields({
	watching: { often, connectionIds, notify, isPublic },
	set,
	errors,
	isScheduled = false,
	hasFabrics = false,
	recipients,
}: WatchFieldsProps) {
	const canSchedule = useMay()("add_scheduledtask");
	const ownerId = useProfile()?.id;
	const target = useTarget();
	const scheduleError = Object.entries(errors).find(([path]) => path.startsWith("schedule."))?.[1];
	return (
		<>
			{!hasFabrics && target === undefined && connectionIds.length === 0 && <Banner tone="warn" title={NO_FABRIC} />}
			<SelectField
				label="How often"
				value={often}
				options={[...(canSchedule ? CHOICES : []), ...(isScheduled ? [] : [BY_HAND])]}
				hint="It is evaluated once now."
				error={scheduleError}
				onChange={(event) => set({ often: event.target.value })}
			/>
			{!hasFabrics && (
				<ConnectionsField
					chosen={connectionIds}
					fallback={target?.name}
					error={errors.controller_connection_ids}
					onChange={(ids) => set({ connectionIds: ids })}
				/>
			)}
			{recipients ?? (
				<>
					<AudienceField isPublic={isPublic} error={errors.is_public} onChange={(to) => set({ isPublic: to })} />
					<RecipientsField
						isOwn
						notify={notify}
						ownerId={ownerId}
						isPublic={isPublic}
						errors={errors}
						onChange={(next) => set({ notify: next })}
					/>
				</>
			)}
		</>
	);
}

interface WatchProblemProps {
	readonly error: unknown;
	/** Fields of the dialog beside these. */
	readonly others?: RegExp;
}

/** A failure that no field shows. */
export function WatchProblem({ error, others }: WatchProblemProps) {
	if (error === null) return null;
	const { fields } = findProblem(error);
	if (fields.non_field_errors) return <Banner tone="bad" title={fields.non_field_errors} />;
	const isPlaced = Object.keys(fields).some((path) => PLACED.test(path) || others?.test(path) === true);
	return isPlaced ? null : <ProblemBanner error={error} />;
}
