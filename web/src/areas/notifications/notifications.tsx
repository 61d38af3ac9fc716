/** Notifications, newest first, by category, severity and read state. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Notification } from "@weft/contracts";
import { NOTIFICATION_CATEGORIES, notificationRoutes, SEVERITIES } from "@weft/contracts/browser";
import { ArrowUpRight, BellOff, Check, CheckCheck, Settings2, Trash2 } from "lucide-react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { handleRowKeys } from "../../platform/row-keys.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { Button, ButtonLink, IconButton } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import { CheckField } from "../../ui/field.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { LinkedText } from "../../ui/object-link.tsx";
import { Empty } from "../../ui/page.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { findPlace } from "./place.ts";
import { CATEGORY_NAMES, SEVERITY_LOOKS } from "./words.ts";

const route = getRouteApi("/app/notifications");
const SIZE = 50;

const pickOption = <T extends string>(all: readonly T[], text: string | undefined): T | undefined =>
	all.find((each) => each === text);

export function NotificationsPage() {
	const [{ category, severity, unread, page = "1" }, change] = useSearchState(route.useSearch(), route.useNavigate(), {
		replace: false,
	});
	const may = useMay();
	const kind = pickOption(NOTIFICATION_CATEGORIES, category);
	const weight = pickOption(SEVERITIES, severity);
	const query = {
		page,
		page_size: String(SIZE),
		...(kind === undefined ? {} : { category: kind }),
		...(weight === undefined ? {} : { severity: weight }),
		...(unread === undefined ? {} : { unread: "true" as const }),
	};
	const answer = useAnswer(notificationRoutes.list, { query }, { keepPrevious: true });
	const readAll = useAction(() => callRoute(notificationRoutes.markAllRead), {
		stale: ["notifications"],
		onSuccess: ({ updated }) =>
			showToast(updated === 0 ? "All were read" : `${formatPlural(updated, "notification")} marked as read`),
		onError: reportFailure,
	});
	const canChange = may("change_notification");
	useCommands(
		canChange
			? [
					{
						id: "notifications.read",
						label: "Mark all as read",
						group: "Notifications",
						keys: "shift+r",
						run: () => readAll.mutate(),
					},
				]
			: [],
	);
	return (
		<ListPage
			title="Notifications"
			noun="notification"
			actions={
				<>
					<CheckField
						label="Unread only"
						checked={unread !== undefined}
						onChange={(event) => change({ unread: event.target.checked ? "1" : undefined, page: undefined })}
					/>
					<FilterSelect
						label="Kind"
						any="Any kind"
						value={kind}
						options={NOTIFICATION_CATEGORIES.map((value) => ({ value, label: CATEGORY_NAMES[value] }))}
						onChange={(value) => change({ category: value, page: undefined })}
					/>
					<FilterSelect
						label="Severity"
						any="Any severity"
						value={weight}
						options={SEVERITIES.map((value) => ({ value, label: SEVERITY_LOOKS[value][0] }))}
						onChange={(value) => change({ severity: value, page: undefined })}
					/>
					<CopyAs call={() => ({ route: notificationRoutes.list, query })} />
					<ButtonLink icon={Settings2} to="/settings/notifications">
						Settings
					</ButtonLink>
					{canChange && (
						<Button icon={CheckCheck} keys="shift+r" busy={readAll.isPending} onClick={() => readAll.mutate()}>
							Mark all as read
						</Button>
					)}
				</>
			}
			answer={answer}
			lines={6}
			page={Number(page)}
			pageSize={SIZE}
			empty={
				<Empty icon={BellOff}>
					{kind || weight || unread
						? "No notification matches."
						: "No notifications yet. Failed schedules, changes and finished jobs appear here."}
				</Empty>
			}
			onPage={(to) => change({ page: String(to) })}
		>
			{(results) => (
				<ul aria-label="Notifications" className="m-0 list-none p-0" onKeyDown={handleRowKeys}>
					{results.map((each) => (
						<Entry key={each.id} notification={each} />
					))}
				</ul>
			)}
		</ListPage>
	);
}

const reportFailure = (error: unknown) => showProblem(error);

function Entry({
	notification: { id, category, severity, title, body, link, read_at, created_at },
}: {
	notification: Notification;
}) {
	const times = useTimes();
	const may = useMay();
	const unread = read_at === null;
	const [name, Icon, look] = SEVERITY_LOOKS[severity] ?? SEVERITY_LOOKS.info;
	const stale = ["notifications"];
	const read = useAction(() => callRoute(notificationRoutes.markRead, { params: { id } }), {
		stale,
		onError: reportFailure,
	});
	const remove = useAction(() => callRoute(notificationRoutes.remove, { params: { id } }), {
		stale,
		onError: reportFailure,
	});
	const place = findPlace(link);
	return (
		<li
			data-row
			className={joinClasses(
				"flex items-start gap-3 border-line border-b px-3 py-2 last:border-b-0",
				unread && "border-l-2 border-l-accent bg-bg",
			)}
		>
			<Icon size={15} role="img" aria-label={name} className={joinClasses("mt-0.5 shrink-0", look)} />
			<div className="min-w-0 flex-1">
				<h2 className={joinClasses("m-0 break-words text-base", unread ? "font-semibold" : "font-normal")}>
					{title}
					{unread && <span className="sr-only"> (unread)</span>}
				</h2>
				{body && (
					<p className="m-0 max-w-[100ch] whitespace-pre-line break-words text-muted">
						<LinkedText text={body} connection={null} />
					</p>
				)}
				<p className="m-0 mt-0.5 flex flex-wrap gap-x-3 text-muted text-xs">
					<span>{CATEGORY_NAMES[category] ?? category}</span>
					<span title={times.dateTime(created_at)}>{times.relative(created_at)}</span>
					{place && (
						<Link
							to={place.to}
							search={place.search}
							className="inline-flex items-center gap-0.5 rounded-cell font-medium text-accent-text hover:underline"
							onClick={() => unread && read.mutate()}
						>
							Open <ArrowUpRight size={12} aria-hidden="true" />
						</Link>
					)}
				</p>
			</div>
			{unread && may("change_notification") && (
				<IconButton
					variant="ghost"
					label={`Mark "${title}" as read`}
					icon={Check}
					busy={read.isPending}
					onClick={() => read.mutate()}
				/>
			)}
			{may("delete_notification") && (
				<IconButton
					variant="ghost"
					label={`Delete "${title}"`}
					icon={Trash2}
					busy={remove.isPending}
					onClick={() => remove.mutate()}
				/>
			)}
		</li>
	);
}
