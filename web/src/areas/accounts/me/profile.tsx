/** Names, address, times, and what one may use. */
import type { OwnProfile } from "@weft/contracts";
import {
	authRoutes,
	DATE_FORMATS,
	recoveryRoutes,
	SESSION_TIMEOUTS,
	TIME_FORMATS,
	usageRoutes,
} from "@weft/contracts/browser";
import { type FormEvent, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { useDraft } from "../../../platform/draft-state.ts";
import { formatCount, formatPerson } from "../../../platform/format.ts";
import { showGroupName } from "../../../platform/group-names.ts";
import { findProblem } from "../../../platform/problem.ts";
import { useProfile, useTimes } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { SelectField, TextField } from "../../../ui/field.tsx";
import { Drafted, Form } from "../../../ui/form.tsx";
import { Loaded, Panel, ProblemBanner, Skeleton } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { showProblem, showToast } from "../../../ui/toast.tsx";
import { Zones } from "../../schedules/cadence-fields.tsx";
import { MeFrame } from "./frame.tsx";

export function ProfilePage() {
	const profile = useProfile();
	const times = useTimes();
	return (
		<MeFrame
			title={profile ? formatPerson(profile) : "Profile"}
			facts={
				profile && (
					<>
						<span>{profile.username}</span>
						{profile.is_admin && <Pill tone="violet">Administrator</Pill>}
						<span>{profile.group_names.map(showGroupName).join(", ")}</span>
						<span>since {times.date(profile.date_joined)}</span>
					</>
				)
			}
		>
			{profile === undefined ? (
				<Skeleton lines={6} />
			) : (
				<>
					<Drafted form="profile" id="own">
						<Person profile={profile} />
					</Drafted>
					<Times profile={profile} />
					<Usage />
				</>
			)}
		</MeFrame>
	);
}

function Person({ profile }: { profile: OwnProfile }) {
	const draft = useDraft();
	const save = useAction(
		(body: { first_name: string; last_name: string; email: string }) => callRoute(authRoutes.updateProfile, { body }),
		{
			stale: ["auth"],
			onSuccess() {
				draft?.drop();
				showToast("Saved");
			},
		},
	);
	const verify = useAction(() => callRoute(recoveryRoutes.sendVerification), {
		onSuccess: () => showToast("Mail sent"),
		onError: (error: unknown) => showProblem(error),
	});
	const { data: ways } = useAnswer(authRoutes.health, undefined, { staleTime: Number.POSITIVE_INFINITY });
	const fields = save.error === null ? {} : findProblem(save.error).fields;
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const text = (name: string) => String(form.get(name) ?? "").trim();
		save.mutate({ first_name: text("first_name"), last_name: text("last_name"), email: text("email") });
	};
	return (
		<Panel title="You" padded>
			<Form className="flex flex-col gap-3.5" onSubmit={submit}>
				{save.error !== null && Object.keys(fields).length === 0 && <ProblemBanner error={save.error} />}
				<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
					<TextField
						label="First name"
						name="first_name"
						autoComplete="given-name"
						defaultValue={profile.first_name}
						error={fields.first_name}
					/>
					<TextField
						label="Last name"
						name="last_name"
						autoComplete="family-name"
						defaultValue={profile.last_name}
						error={fields.last_name}
					/>
				</div>
				<TextField
					label="Email address"
					name="email"
					type="email"
					autoComplete="email"
					defaultValue={profile.email}
					hint={
						profile.email === ""
							? "For a forgotten password, and for mails about schedules."
							: profile.email_verified
								? "Verified."
								: "Not verified yet."
					}
					error={fields.email}
				/>
				<div className="flex gap-2">
					<Button variant="primary" type="submit" busy={save.isPending}>
						Save
					</Button>
					{profile.email !== "" && !profile.email_verified && ways?.email_enabled && (
						<Button busy={verify.isPending} onClick={() => verify.mutate()}>
							Send the verification mail
						</Button>
					)}
				</div>
			</Form>
		</Panel>
	);
}

const TIMEOUT_NAMES = (minutes: number): string =>
	minutes === 0
		? "Never"
		: minutes < 60
			? `After ${minutes} minutes`
			: `After ${minutes / 60} ${minutes === 60 ? "hour" : "hours"}`;

function Times({ profile: { preferences } }: { profile: OwnProfile }) {
	const times = useTimes();
	const [zone, setZone] = useState(preferences.timezone);
	const save = useAction(
		(body: Partial<Pick<typeof preferences, "timezone" | "date_format" | "time_format">>) =>
			callRoute(authRoutes.updatePreferences, { body }),
		{ stale: ["auth", "time_machine"] },
	);
	const timeout = useAnswer(authRoutes.sessionTimeout);
	const setTimeoutMinutes = useAction(
		(session_timeout_minutes: number) => callRoute(authRoutes.setSessionTimeout, { body: { session_timeout_minutes } }),
		{
			stale: ["auth"],
			onSuccess: () => showToast("Saved"),
			onError: (error) => showProblem(error),
		},
	);
	const fields = save.error === null ? {} : findProblem(save.error).fields;
	const takeZone = () => zone !== preferences.timezone && save.mutate({ timezone: zone });
	return (
		<Panel title="Times" padded aside={<span className="num text-muted">now {times.dateTime(Date.now())}</span>}>
			<div className="grid grid-cols-2 gap-3.5 max-sm:grid-cols-1">
				<TextField
					label="Time zone"
					list="weft-zones"
					value={zone}
					spellCheck={false}
					error={fields.timezone}
					hint="Calendars and times everywhere are in it."
					onChange={(event) => setZone(event.target.value)}
					onBlur={takeZone}
					onKeyDown={(event) => event.key === "Enter" && takeZone()}
				/>
				<Zones />
				<SelectField
					label="Dates"
					value={preferences.date_format}
					options={DATE_FORMATS.map((value) => ({ value, label: value }))}
					onChange={(event) => save.mutate({ date_format: event.target.value as typeof preferences.date_format })}
				/>
				<SelectField
					label="Clock"
					value={preferences.time_format}
					options={TIME_FORMATS.map((value) => ({ value, label: value === "24h" ? "24 hours" : "12 hours" }))}
					onChange={(event) => save.mutate({ time_format: event.target.value as typeof preferences.time_format })}
				/>
				<SelectField
					label="Sign me out when I am away"
					value={String(timeout.data?.session_timeout_minutes ?? 0)}
					options={SESSION_TIMEOUTS.map((value) => ({ value: String(value), label: TIMEOUT_NAMES(value) }))}
					onChange={(event) => setTimeoutMinutes.mutate(Number(event.target.value))}
				/>
			</div>
		</Panel>
	);
}

const ROWS = [
	["Saved queries", "queries_total", "queries_max"],
	["Executions today", "executions_today", "executions_daily"],
	["Schedules", "scheduled_tasks_total", "scheduled_tasks_max"],
	["Connections", "connections_total", "connections_max"],
	["Connection groups", "connection_groups_total", "connection_groups_max"],
	["Calendar entries", "calendar_entries_total", "calendar_entries_max"],
	["Categories", "categories_total", "categories_max"],
	["Checks", "checks_total", "checks_max"],
	["Live connections (tabs and programs)", "sockets_open", "sockets_max"],
	["Webhooks", "webhooks_total", "webhooks_max"],
	["API tokens", "tokens_total", "tokens_max"],
	["Automation servers", "automation_connections_total", "automation_connections_max"],
	["Automation templates", "automation_templates_total", "automation_templates_max"],
	["Column templates, value lists and patterns", "automation_references_total", "automation_references_max"],
	["Change plans", "change_plans_total", "change_plans_max"],
] as const;

function Usage() {
	const answer = useAnswer(usageRoutes.quotaUsage);
	return (
		<Panel title="What you use" aside={<span className="text-muted">days are UTC</span>}>
			<Loaded answer={answer} lines={4}>
				{({ quota, usage }) => (
					<dl className="m-0">
						{ROWS.map(([label, used, limit]) => {
							const most = Number((quota as Record<string, unknown>)[limit] ?? 0);
							return (
								<div
									key={label}
									className="flex items-center justify-between gap-3 border-line border-b px-3 py-1.5 last:border-b-0"
								>
									<dt>{label}</dt>
									<dd className="num m-0 text-muted">
										{formatCount(usage[used])} {most > 0 ? `of ${formatCount(most)}` : "(no limit)"}
									</dd>
								</div>
							);
						})}
					</dl>
				)}
			</Loaded>
		</Panel>
	);
}
