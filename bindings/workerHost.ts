// What the worker of `moonscape/worker` runs (`moonscape/worker-host`): a runtime that the page's calls reach.
import { serve, type WorkerScope } from './page/workerHost.js';

serve(globalThis as unknown as WorkerScope);
