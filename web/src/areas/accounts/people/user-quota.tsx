/** The limits that apply to a user: of each limit, the most permissive value of their groups. */
import type { AdminUser, Quota } from "@weft/contracts";
import { QUOTA_DEFAULTS, QUOTA_NUMBERS, QUOTA_RIGHTS } from "@weft/contracts/browser";
import { formatCount } from "../../../platform/format.ts";
import { Loaded, Panel } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { useGroups } from "./answers.ts";
import { QUOTA_NAMES, SHOWN_NUMBERS, SHOWN_RIGHTS } from "./words.ts";

/** The limits of a user without any quota. */
const DEFAULTS: Quota = Object.fromEntries([
	...QUOTA_NUMBERS.map((name) => [name, QUOTA_DEFAULTS[name] ?? 0]),
	...QUOTA_RIGHTS.map((name) => [name, true]),
]);

export function UserQuota({ user }: { user: AdminUser }) {
	const groups = useGroups();
	return (
		<Panel title="Quota">
			<Loaded answer={groups} lines={5}>
				{({ results }) => {
					const limiting = results.filter(({ id, quota }) => user.group_ids.includes(id) && quota !== null);
					if (limiting.length === 0) {
						return (
							<>
								<p className="m-0 px-3 pt-2 text-muted">
									The default limits apply: none of the user's groups has a quota. Administrators have no limits.
								</p>
								<Limits quotas={[DEFAULTS]} saved={user.query_count} />
							</>
						);
					}
					const quotas = limiting.flatMap(({ quota }) => (quota === null ? [] : [quota]));
					return (
						<>
							<p className="m-0 px-3 pt-2 text-muted">
								From {limiting.map(({ name }) => name).join(", ")}. The most permissive value applies.
							</p>
							<Limits quotas={quotas} saved={user.query_count} />
						</>
					);
				}}
			</Loaded>
		</Panel>
	);
}

function Limits({ quotas, saved }: { quotas: readonly Quota[]; saved: number }) {
	const refused = SHOWN_RIGHTS.filter((name) => !quotas.some((quota) => quota[name]));
	return (
		<>
			<dl className="m-0 grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 p-3">
				{SHOWN_NUMBERS.map((name) => {
					const values = quotas.map((quota) => quota[name]);
					const limit = values.includes(0) ? null : Math.max(...values);
					return (
						<div key={name} className="contents">
							<dt className="text-muted">{QUOTA_NAMES[name]}</dt>
							<dd className="num m-0 text-right">
								{name === "queries_max" && `${formatCount(saved)} of `}
								{limit === null ? "no limit" : formatCount(limit)}
							</dd>
						</div>
					);
				})}
			</dl>
			{refused.length > 0 && (
				<p className="m-0 flex flex-wrap items-center gap-1.5 px-3 pb-3">
					<span className="text-muted">Not allowed:</span>
					{refused.map((name) => (
						<Pill key={name} tone="warn">
							{QUOTA_NAMES[name]}
						</Pill>
					))}
				</p>
			)}
		</>
	);
}
