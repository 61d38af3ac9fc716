/** Every command of the program. */
import type { Register } from "../frame.ts";
import { registerLogin } from "./accounts/login.ts";
import { registerToken } from "./accounts/token.ts";
import { registerChanges } from "./answers/changes.ts";
import { registerFind } from "./answers/find.ts";
import { registerObject } from "./answers/object.ts";
import { registerQuestion } from "./answers/question.ts";
import { registerAutomation } from "./automation/automation.ts";
import { registerRequestHistory } from "./automation/request-history.ts";
import { registerCalendar } from "./calendar/calendar.ts";
import { registerCheck } from "./checks/check.ts";
import { registerCheckList } from "./checks/check-list.ts";
import { registerCheckRun } from "./checks/check-run.ts";
import { registerCheckShow } from "./checks/check-show.ts";
import { registerCompletion } from "./completion.ts";
import { registerConnection } from "./fabrics/connection.ts";
import { registerQueryFiles } from "./files/query-files.ts";
import { registerQueryImport } from "./files/query-import.ts";
import { registerSnapshot } from "./history/snapshot.ts";
import { registerSnapshotCompare } from "./history/snapshot-compare.ts";
import { registerSnapshotSeries } from "./history/snapshot-series.ts";
import { registerMcp } from "./mcp.ts";
import { registerModel } from "./model/model.ts";
import { registerStatus } from "./overview/status.ts";
import { registerQuery } from "./queries/query.ts";
import { registerSchedule } from "./schedules/schedule.ts";
import { registerChange } from "./windows/change.ts";
import { registerChangeEvidence } from "./windows/change-evidence.ts";
import { registerChangeExpect } from "./windows/change-expect.ts";
import { registerChangeFinish } from "./windows/change-finish.ts";
import { registerChangeRun } from "./windows/change-run.ts";
import { registerChangeStart } from "./windows/change-start.ts";

const COMMANDS: readonly Register[] = [
	registerLogin,
	registerStatus,
	registerConnection,
	registerQuery,
	registerQuestion,
	registerQueryFiles,
	registerQueryImport,
	registerSnapshot,
	registerSnapshotCompare,
	registerSnapshotSeries,
	registerChanges,
	registerFind,
	registerObject,
	registerSchedule,
	registerCalendar,
	registerCheck,
	registerCheckList,
	registerCheckRun,
	registerCheckShow,
	registerChange,
	registerChangeStart,
	registerChangeFinish,
	registerChangeRun,
	registerChangeExpect,
	registerChangeEvidence,
	registerModel,
	registerAutomation,
	registerRequestHistory,
	registerToken,
	registerMcp,
	registerCompletion,
];

export const registerAll: Register = (program, run) => {
	for (const register of COMMANDS) register(program, run);
};
