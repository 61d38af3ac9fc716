/** In place of an object's page: it is loading, missing, or could not be read. */
import { findProblem } from "../platform/problem.ts";
import { ButtonLink } from "./button.tsx";
import { type Crumb, Empty, PageHead, ProblemBanner, Skeleton } from "./page.tsx";

interface MissingProps {
	/** The kind of object, as "Run". */
	readonly what: string;
	/** The last one with a link is the way on. */
	readonly crumbs: readonly Crumb[];
	/** Why an object of this kind may be gone. */
	readonly gone?: string;
}

interface UnloadedProps extends MissingProps {
	/** Null while it is loading. */
	readonly error: unknown;
	onRetry(): void;
}

export function Unloaded({ what, crumbs, error, gone, onRetry }: UnloadedProps) {
	if (error === null) {
		return (
			<>
				<PageHead title={what} crumbs={crumbs} />
				<Skeleton lines={6} className="max-w-xl p-5" />
			</>
		);
	}
	if (findProblem(error).status === 404) return <Missing what={what} crumbs={crumbs} {...(gone ? { gone } : {})} />;
	return (
		<>
			<PageHead title={what} crumbs={crumbs} />
			<div className="px-5">
				<ProblemBanner error={error} onRetry={onRetry} />
			</div>
		</>
	);
}

export function Missing({ what, crumbs, gone = "It may have been deleted." }: MissingProps) {
	const list = crumbs.findLast(({ to }) => to !== undefined);
	const { to, params } = list ?? {};
	return (
		<>
			<PageHead title={`${what} not found`} crumbs={crumbs} />
			<Empty
				action={
					<>
						{to && (
							<ButtonLink variant="primary" to={to} params={params as never}>
								{`To ${list?.label}`}
							</ButtonLink>
						)}
						<ButtonLink to="/">To the overview</ButtonLink>
					</>
				}
			>
				This {what.toLowerCase()} does not exist, or you have no access to it. {gone}
			</Empty>
		</>
	);
}
