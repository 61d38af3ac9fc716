/** Recipients of alerts: people who see the check, webhooks, mail addresses; and the severity. */
import type { CheckNotify, FindingSeverity } from "@weft/contracts";
import { checkRoutes, FINDING_SEVERITIES, webhookRoutes } from "@weft/contracts/browser";
import { useId, useRef, useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPerson } from "../../platform/format.ts";
import { useMay } from "../../platform/profile.ts";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { formatSeverity } from "./words.tsx";

const PAGE = 200;
/** Above this many people a field that finds them is shown. */
const LISTED = 8;

/** Without people: the service names the owner. */
export type NotifyDraft = Omit<CheckNotify, "user_ids"> & Partial<Pick<CheckNotify, "user_ids">>;

export const NOTIFY_START: NotifyDraft = { webhook_ids: [], addresses: [], min_severity: "info" };

interface RecipientsFieldProps {
	readonly notify: NotifyDraft;
	/** Owner of the check, who gets every alert. */
	readonly ownerId: number | undefined;
	/** Whether the owner is the user. */
	readonly isOwn: boolean;
	/** Empty: a query that is not saved yet. */
	readonly queryId?: string;
	/** Whether the check is public. */
	readonly isPublic: boolean;
	/** The service's messages by path, such as `notify.user_ids`. */
	readonly errors: Readonly<Record<string, string>>;
	onChange(notify: NotifyDraft): void;
}

export function RecipientsField(props: RecipientsFieldProps) {
	const { notify, isOwn, errors, onChange } = props;
	const addressError = Object.entries(errors).find(([path]) => path.startsWith("notify.addresses"))?.[1];
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-3 rounded-control border border-line p-3">
			<legend className="px-1 font-medium">Recipients</legend>
			<p className="m-0 text-muted">{isOwn ? "You are always notified." : "The owner is always notified."}</p>
			<People {...props} />
			<Webhooks {...props} />
			<TextField
				label="Mail addresses"
				hint="Separated by commas."
				autoComplete="off"
				defaultValue={notify.addresses.join(", ")}
				error={addressError}
				onChange={(event) => onChange({ ...notify, addresses: readAddresses(event.target.value) })}
			/>
			<SelectField
				label="From severity"
				hint="Less severe alerts go to the owner only."
				value={notify.min_severity}
				options={FINDING_SEVERITIES.map((value) => ({ value, label: formatSeverity(value) }))}
				error={errors["notify.min_severity"]}
				onChange={(event) => onChange({ ...notify, min_severity: event.target.value as FindingSeverity })}
			/>
		</fieldset>
	);
}

const readAddresses = (text: string): string[] => text.split(/[,\s]+/).filter((address) => address !== "");

function People({ notify, ownerId, queryId = "", isPublic, errors, onChange }: RecipientsFieldProps) {
	const [search, setSearch] = useState("");
	const canList = useMay()("add_check");
	const { data } = useAnswer(
		checkRoutes.recipients,
		{
			query: {
				page_size: String(PAGE),
				is_public: isPublic ? "true" : "false",
				...(queryId === "" ? {} : { saved_query: queryId }),
				...(search === "" ? {} : { search }),
			},
		},
		{ enabled: canList, keepPrevious: true },
	);
	const names = useRef(new Map<number, string>());
	const found = (data?.results ?? []).filter(({ id }) => id !== ownerId);
	for (const user of found) names.current.set(user.id, formatPerson(user));
	const ids = notify.user_ids ?? (ownerId === undefined ? [] : [ownerId]);
	const chosen = ids.filter((id) => id !== ownerId);
	const options = [
		...chosen.map((id) => ({ id, label: names.current.get(id) ?? `User ${id}` })),
		...found.filter(({ id }) => !chosen.includes(id)).map((user) => ({ id: user.id, label: formatPerson(user) })),
	];
	const count = data?.count ?? 0;
	return (
		<Choices
			legend="People"
			hint={
				isPublic ? "All who see the check and its query." : "The check is not public: only administrators can see it."
			}
			error={errors["notify.user_ids"]}
			options={options.map(({ id, label }) => ({ value: String(id), label }))}
			chosen={chosen.map(String)}
			empty={
				!canList
					? "People are listed for those who have the permission add_check."
					: search === ""
						? "No other person sees the check."
						: "No person has this name."
			}
			isLoading={canList && data === undefined}
			above={
				(search !== "" || count > LISTED) && (
					<TextField
						hideLabel
						label="Find people"
						placeholder="Find people"
						autoComplete="off"
						value={search}
						onChange={(event) => setSearch(event.target.value)}
					/>
				)
			}
			below={count > PAGE && `The first ${PAGE} of ${count} people are shown. Find others by name.`}
			onChange={(next) =>
				onChange({ ...notify, user_ids: [...ids.filter((id) => id === ownerId), ...next.map(Number)] })
			}
		/>
	);
}

function Webhooks({ notify, errors, onChange }: RecipientsFieldProps) {
	const canList = useMay()("view_notificationpreference");
	const { data } = useAnswer(webhookRoutes.list, { query: { page_size: String(PAGE) } }, { enabled: canList });
	const found = data?.results ?? [];
	const known = new Set(found.map(({ id }) => id));
	const options = [
		...notify.webhook_ids.filter((id) => !known.has(id)).map((id) => ({ value: id, label: "A webhook of the owner" })),
		...found.map(({ id, name, enabled }) => ({ value: id, label: enabled ? name : `${name} (switched off)` })),
	];
	const count = data?.count ?? 0;
	return (
		<Choices
			legend="Webhooks"
			hint="For Slack, Teams and other systems. They get the alerts of this check whatever their kinds."
			error={errors["notify.webhook_ids"]}
			options={options}
			chosen={notify.webhook_ids}
			empty="You have no webhook. Make one under Notifications, Channels."
			isLoading={canList && data === undefined}
			below={count > PAGE && `The first ${PAGE} of ${count} webhooks are shown.`}
			onChange={(webhook_ids) => onChange({ ...notify, webhook_ids })}
		/>
	);
}

interface ChoicesProps {
	readonly legend: string;
	readonly hint: string;
	readonly error: string | undefined;
	readonly options: readonly { readonly value: string; readonly label: string }[];
	readonly chosen: readonly string[];
	/** Text without options. */
	readonly empty: string;
	readonly isLoading: boolean;
	readonly above?: React.ReactNode;
	readonly below?: React.ReactNode;
	onChange(chosen: string[]): void;
}

function Choices({ legend, hint, error, options, chosen, empty, isLoading, above, below, onChange }: ChoicesProps) {
	const id = useId();
	return (
		<fieldset
			aria-describedby={joinIds(`${id}-hint`, error && `${id}-error`)}
			className="m-0 flex min-w-0 flex-col gap-1.5 border-0 p-0"
		>
			<legend className="mb-1 p-0 font-medium">{legend}</legend>
			{above}
			{options.length === 0 && <p className="m-0 text-muted">{isLoading ? "…" : empty}</p>}
			<div className="flex max-h-36 flex-col gap-1.5 overflow-y-auto">
				{options.map(({ value, label }) => (
					<CheckField
						key={value}
						label={label}
						checked={chosen.includes(value)}
						onChange={({ target }) =>
							onChange(target.checked ? [...chosen, value] : chosen.filter((other) => other !== value))
						}
					/>
				))}
			</div>
			{below && <p className="m-0 text-muted text-xs">{below}</p>}
			<p id={`${id}-hint`} className="m-0 text-muted text-xs">
				{hint}
			</p>
			{error && (
				<p id={`${id}-error`} className="m-0 text-bad text-xs">
					{error}
				</p>
			)}
		</fieldset>
	);
}

const joinIds = (...ids: readonly (string | undefined)[]): string => ids.filter(Boolean).join(" ");
