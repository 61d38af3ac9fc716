/** One user: state, groups, rights with their sources, quota and sign-ins. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { AdminUser } from "@weft/contracts";
import { auditRoutes, userRoutes } from "@weft/contracts/browser";
import { BadgeCheck, Ellipsis, KeyRound, Pencil, ShieldOff, Ticket, Trash2, UserCheck, UserX } from "lucide-react";
import { useState } from "react";
import { callRoute, invalidateAreas, useAction, useAnswer } from "../../../platform/call.ts";
import { formatPerson, formatPlural } from "../../../platform/format.ts";
import { useProfile, useTimes } from "../../../platform/profile.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { Banner, Empty, Loaded, PageHead, Panel } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { showProblem, showToast } from "../../../ui/toast.tsx";
import { AttemptTable } from "../../audit/attempt-table.tsx";
import { Rights } from "./rights.tsx";
import { AccountTokens } from "./tokens.tsx";
import { DeleteUser, NewPassword, ResetCode } from "./user-dialogs.tsx";
import { UserForm } from "./user-form.tsx";
import { UserQuota } from "./user-quota.tsx";
import { UserState } from "./user-state.tsx";
import { SOURCE_NAMES } from "./words.ts";

const route = getRouteApi("/app/users/$id");
const CRUMBS = [{ label: "Users", to: "/users" as const }];
const LATEST_ATTEMPTS = "10";

type Question = "edit" | "password" | "code" | "mfa" | "deactivate" | "delete";

export function UserPage() {
	const { id } = route.useParams();
	const answer = useAnswer(userRoutes.detail, { params: { id } });
	if (answer.data === undefined) {
		return (
			<>
				<PageHead title="User" crumbs={CRUMBS} />
				<Loaded answer={answer} lines={8}>
					{() => null}
				</Loaded>
			</>
		);
	}
	return <User key={id} user={answer.data} />;
}

function User({ user }: { user: AdminUser }) {
	const { id, username, auth_source, is_superuser } = user;
	const own = useProfile();
	const [question, setQuestion] = useState<Question | null>(null);
	const isOwn = own?.id === id;
	/** Only a superuser may change a superuser. */
	const locked = is_superuser && own?.is_superuser !== true;
	const isService = auth_source === "service";
	return (
		<>
			<UserHead user={user} locked={locked} onAsk={setQuestion} />
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				{isOwn && (
					<Banner
						tone="info"
						title="This is your own account."
						detail="Another administrator must deactivate or delete it, so that you cannot lock yourself out."
					/>
				)}
				{locked && (
					<Banner tone="info" title="Only a superuser may change a superuser." detail="You may view this account." />
				)}
				{isService && <AccountTokens account={user} readOnly={locked} />}
				<div className="grid items-start gap-3 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
					<Rights user={user} readOnly={locked} />
					<div className="flex min-w-0 flex-col gap-3">
						<UserQuota user={user} />
						{!isService && <SignIns username={username} tokensOf={locked ? null : id} />}
					</div>
				</div>
			</div>
			<Questions user={user} question={question} onClose={() => setQuestion(null)} />
		</>
	);
}

interface UserHeadProps {
	readonly user: AdminUser;
	readonly locked: boolean;
	onAsk(question: Question): void;
}

function UserHead({ user, locked, onAsk }: UserHeadProps) {
	const { id, username, auth_source, is_superuser, mfa_enabled, email, email_verified } = user;
	const times = useTimes();
	const source = SOURCE_NAMES[auth_source];
	return (
		<PageHead
			title={username}
			crumbs={CRUMBS}
			facts={
				<>
					<UserState user={user} />
					{is_superuser && <Pill tone="violet">Superuser</Pill>}
					{source && <Pill>{source}</Pill>}
					{auth_source !== "service" && (
						<Pill tone={mfa_enabled ? "ok" : "neutral"}>Two-factor {mfa_enabled ? "on" : "off"}</Pill>
					)}
					{formatPerson(user) !== username && <span>{formatPerson(user)}</span>}
					{email !== "" && (
						<span>
							{email}
							{email_verified ? "" : " (not verified)"}
						</span>
					)}
					<span>Since {times.date(user.date_joined)}</span>
				</>
			}
			actions={
				<>
					<CopyAs call={() => ({ route: userRoutes.detail, params: { id: String(id) } })} />
					{!locked && (
						<>
							<Button icon={Pencil} onClick={() => onAsk("edit")}>
								Edit
							</Button>
							<MoreVerbs user={user} onAsk={onAsk} />
						</>
					)}
				</>
			}
		/>
	);
}

function MoreVerbs({ user, onAsk }: Omit<UserHeadProps, "locked">) {
	const { id, username, is_active, mfa_enabled, email, email_verified } = user;
	const isOwn = useProfile()?.id === id;
	const isLocal = user.auth_source === "local";
	const act = useAction(
		async (what: "activate" | "verifyEmail") => {
			await callRoute(userRoutes[what], { params: { id: String(id) } });
			return what === "activate" ? `${username} may sign in again` : `The email of ${username} is verified`;
		},
		{
			stale: ["users"],
			onSuccess: (text) => showToast(text),
			onError: (error: unknown) => showProblem(error),
		},
	);
	return (
		<Menu
			trigger={<IconButton label={`More for ${username}`} icon={Ellipsis} />}
			groups={[
				[
					...(isLocal
						? [
								{ label: "Set a password", icon: KeyRound, run: () => onAsk("password") },
								{ label: "Generate a reset code", icon: Ticket, run: () => onAsk("code") },
							]
						: []),
					...(email !== "" && !email_verified
						? [
								{
									label: "Mark the email as verified",
									icon: BadgeCheck,
									run: () => act.mutate("verifyEmail"),
								},
							]
						: []),
					...(mfa_enabled ? [{ label: "Disable two-factor", icon: ShieldOff, run: () => onAsk("mfa") }] : []),
				],
				isOwn
					? []
					: [
							is_active
								? { label: "Deactivate", icon: UserX, run: () => onAsk("deactivate") }
								: { label: "Activate", icon: UserCheck, run: () => act.mutate("activate") },
							{ label: "Delete", icon: Trash2, danger: true, run: () => onAsk("delete") },
						],
			]}
		/>
	);
}

interface QuestionsProps {
	readonly user: AdminUser;
	/** Null: none is open. */
	readonly question: Question | null;
	onClose(): void;
}

/** The dialogs and confirmations of the page. */
function Questions({ user, question, onClose }: QuestionsProps) {
	const { username } = user;
	const navigate = route.useNavigate();
	const params = { id: String(user.id) };
	return (
		<>
			{question === "edit" && <UserForm user={user} onClose={onClose} onSaved={onClose} />}
			{question === "password" && <NewPassword user={user} onClose={onClose} />}
			{question === "code" && <ResetCode user={user} onClose={onClose} />}
			{question === "delete" && (
				<DeleteUser user={user} onClose={onClose} onDeleted={() => void navigate({ to: "/users" })} />
			)}
			<Confirm
				open={question === "deactivate"}
				title={`Deactivate ${username}?`}
				verb="Deactivate the user"
				onClose={onClose}
				onConfirm={() => callRoute(userRoutes.deactivate, { params }).then(() => invalidateAreas("users"))}
			>
				<p className="m-0">
					All sessions of {username} end at once, and signing in is refused. Nothing is deleted:{" "}
					{formatPlural(user.query_count, "saved query", "saved queries")} and all else stay, and you can activate the
					account again.
				</p>
			</Confirm>
			<Confirm
				open={question === "mfa"}
				title={`Disable two-factor for ${username}?`}
				verb="Disable two-factor"
				onClose={onClose}
				onConfirm={() => callRoute(userRoutes.disableMfa, { params }).then(() => invalidateAreas("users"))}
			>
				<p className="m-0">
					The password alone will then suffice. The backup codes of {username} become void. Confirm by another way that
					the request comes from {username}.
				</p>
			</Confirm>
		</>
	);
}

interface SignInsProps {
	readonly username: string;
	/** The id of the user, whose API tokens are linked; null: they may not be seen. */
	readonly tokensOf: number | null;
}

function SignIns({ username, tokensOf }: SignInsProps) {
	const attempts = useAnswer(auditRoutes.loginAttempts, { query: { username, page_size: LATEST_ATTEMPTS } });
	return (
		<Panel
			title="Sign-ins"
			aside={
				<>
					<Link to="/audit/sign-ins" search={{ username }} className="text-accent-text hover:underline">
						All sign-ins
					</Link>
					<Link to="/audit" search={{ username }} className="text-accent-text hover:underline">
						Audit log
					</Link>
					{tokensOf !== null && (
						<Link to="/tokens" search={{ owner: String(tokensOf) }} className="text-accent-text hover:underline">
							API tokens
						</Link>
					)}
				</>
			}
		>
			<Loaded answer={attempts} lines={4}>
				{({ results }) =>
					results.length === 0 ? (
						<Empty>No attempt to sign in.</Empty>
					) : (
						<AttemptTable rows={results} withUser={false} />
					)
				}
			</Loaded>
		</Panel>
	);
}
