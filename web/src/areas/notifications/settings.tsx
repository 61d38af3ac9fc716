/** Notification preferences: in the app, by mail; kinds and quiet hours. */
import type { NotificationPreferences } from "@weft/contracts";
import { NOTIFICATION_CATEGORIES, notificationRoutes } from "@weft/contracts/browser";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { useDraft, useDraftState } from "../../platform/draft-state.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { queries } from "../../platform/weft.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField } from "../../ui/field.tsx";
import { Drafted, Form } from "../../ui/form.tsx";
import { Banner, Loaded, Panel, ProblemBanner } from "../../ui/page.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { WhenField } from "../../ui/when-field.tsx";
import { NotificationsFrame } from "./frame.tsx";
import { CATEGORY_NAMES } from "./words.ts";

export function NotificationSettingsPage() {
	const answer = useAnswer(notificationRoutes.preferences);
	return (
		<NotificationsFrame title="My notifications">
			<Loaded answer={answer} lines={8}>
				{(preferences) => (
					<div className="flex max-w-3xl flex-col gap-3">
						<Ways preferences={preferences} />
						<Drafted key={`${preferences.quiet_hours_start}${preferences.quiet_hours_end}`} form="quiet-hours">
							<Quiet preferences={preferences} />
						</Drafted>
					</div>
				)}
			</Loaded>
		</NotificationsFrame>
	);
}

type Change = Parameters<typeof changePreferences>[0];
const changePreferences = (
	body: Partial<Omit<NotificationPreferences, "categories">> & { categories?: Record<string, object> },
) => callRoute(notificationRoutes.changePreferences, { body });

const KEY = [notificationRoutes.preferences.id];

/** Updates a box at once. Changes are sent in order, and the last answer wins. */
function useChange() {
	return useAction(changePreferences, {
		mutationKey: KEY,
		scope: { id: "notification-preferences" },
		onMutate(body) {
			queries.setQueryData<NotificationPreferences>(KEY, (before) => before && withChange(before, body));
		},
		onSuccess(saved) {
			if (queries.isMutating({ mutationKey: KEY }) === 1) queries.setQueryData(KEY, saved);
		},
		onError(error) {
			void queries.invalidateQueries({ queryKey: KEY });
			showProblem(error);
		},
	});
}

function withChange(before: NotificationPreferences, { categories = {}, ...rest }: Change): NotificationPreferences {
	const merged = { ...before.categories };
	for (const category of NOTIFICATION_CATEGORIES) merged[category] = { ...merged[category], ...categories[category] };
	return { ...before, ...rest, categories: merged };
}

function Ways({ preferences }: { preferences: NotificationPreferences }) {
	const { in_app_enabled, email_enabled, categories, digest_enabled } = preferences;
	const profile = useProfile();
	const locked = !useMay()("change_notificationpreference");
	const save = useChange();
	return (
		<Panel title="Kinds and channels" padded>
			<div className="flex flex-col gap-3.5">
				<div className="flex flex-wrap gap-x-8 gap-y-2">
					<CheckField
						label="In app"
						checked={in_app_enabled}
						disabled={locked}
						onChange={(event) => save.mutate({ in_app_enabled: event.target.checked })}
					/>
					<CheckField
						label="Notify me by mail"
						checked={email_enabled}
						disabled={locked}
						onChange={(event) => save.mutate({ email_enabled: event.target.checked })}
					/>
					<CheckField
						label="One mail a day"
						hint="At 08:00, with everything in it."
						checked={digest_enabled}
						disabled={locked || !email_enabled}
						onChange={(event) => save.mutate({ digest_enabled: event.target.checked })}
					/>
				</div>
				{email_enabled && profile?.email === "" && (
					<Banner tone="warn" title="No mail can reach you." detail="Your profile has no address." />
				)}
				<table className="w-full max-w-lg border-collapse text-left">
					<caption className="sr-only">Kinds of notifications</caption>
					<thead>
						<tr>
							{["Kind", "Here", "By mail"].map((head) => (
								<th key={head} scope="col" className="h-7 border-line border-b font-normal text-muted">
									{head}
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{NOTIFICATION_CATEGORIES.map((category) => (
							<tr key={category} className="border-line border-b last:border-b-0">
								<th scope="row" className="h-(--row) font-normal">
									{CATEGORY_NAMES[category]}
								</th>
								{(
									[
										["in_app", "here", in_app_enabled],
										["email", "by mail", email_enabled],
									] as const
								).map(([way, word, on]) => (
									<td key={way}>
										<input
											type="checkbox"
											aria-label={`${CATEGORY_NAMES[category]} ${word}`}
											className="m-0 size-4 align-middle"
											checked={categories[category][way]}
											disabled={locked || !on}
											onChange={(event) => save.mutate({ categories: { [category]: { [way]: event.target.checked } } })}
										/>
									</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</div>
		</Panel>
	);
}

const NIGHT = { start: "22:00", end: "07:00" };

function Quiet({ preferences: { quiet_hours_start, quiet_hours_end } }: { preferences: NotificationPreferences }) {
	const times = useTimes();
	const locked = !useMay()("change_notificationpreference");
	const draft = useDraft();
	const [start, setStart] = useDraftState("start", quiet_hours_start ?? NIGHT.start);
	const [end, setEnd] = useDraftState("end", quiet_hours_end ?? NIGHT.end);
	const save = useAction((body: Change) => changePreferences(body), {
		onSuccess(saved) {
			queries.setQueryData(KEY, saved);
			draft?.drop();
			showToast(saved.quiet_hours_start === null ? "Quiet hours are off" : "Quiet hours are saved");
		},
	});
	const fields = save.error === null ? {} : findProblem(save.error).fields;
	const isOn = quiet_hours_start !== null;
	return (
		<Panel title="Quiet hours" aside={<span className="text-muted">{times.zone}</span>} padded>
			<Form
				className="flex flex-col gap-3"
				onSubmit={(event) => {
					event.preventDefault();
					save.mutate({ quiet_hours_start: start, quiet_hours_end: end });
				}}
			>
				{save.error !== null && Object.keys(fields).length === 0 && <ProblemBanner error={save.error} />}
				<p className="m-0 text-muted">
					{isOn
						? `From ${quiet_hours_start} to ${quiet_hours_end} mails are held back. Weft and webhooks notify at once.`
						: "Mails are held back during these hours. Weft and webhooks notify at once."}
				</p>
				<div className="flex flex-wrap items-end gap-3">
					<WhenField
						label="From"
						kind="time"
						required
						value={start}
						disabled={locked}
						error={fields.quiet_hours_start}
						onChange={setStart}
					/>
					<WhenField
						label="To"
						kind="time"
						required
						value={end}
						disabled={locked}
						error={fields.quiet_hours_end}
						onChange={setEnd}
					/>
					{!locked && (
						<Button type="submit" busy={save.isPending}>
							{isOn ? "Change quiet hours" : "Enable quiet hours"}
						</Button>
					)}
					{!locked && isOn && (
						<Button variant="ghost" onClick={() => save.mutate({ quiet_hours_start: null, quiet_hours_end: null })}>
							No quiet hours
						</Button>
					)}
				</div>
			</Form>
		</Panel>
	);
}
