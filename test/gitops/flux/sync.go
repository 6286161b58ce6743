package main

import (
	"context"
	"fmt"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/cli-utils/pkg/object"
	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/normalize"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

const (
	controllerName = "kustomize-controller"
	ownerGroup     = "kustomize.toolkit.fluxcd.io"
	ownerNamespace = "flux-system"
)

// syncRequest is one pass of a Kustomization with `prune` and `wait`.
type syncRequest struct {
	Kubeconfig     string                   `json:"kubeconfig"`
	Kustomization  string                   `json:"kustomization"`
	Objects        []map[string]interface{} `json:"objects"`
	Inventory      []inventoryEntry         `json:"inventory"`
	TimeoutSeconds int                      `json:"timeoutSeconds"`
}

// inventoryEntry names an object that a pass has applied.
type inventoryEntry struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// syncReport is what a pass did: one action for each object, the next inventory, and why the health check failed.
type syncReport struct {
	Actions   map[string]ssa.Action `json:"actions"`
	Inventory []inventoryEntry      `json:"inventory"`
	Failure   string                `json:"failure"`
}

// sync applies, prunes and waits in the order of kustomize-controller.
func sync(ctx context.Context, request syncRequest) (syncReport, error) {
	manager, err := newManager(request.Kubeconfig)
	if err != nil {
		return syncReport{}, err
	}
	objects := make([]*unstructured.Unstructured, 0, len(request.Objects))
	for _, content := range request.Objects {
		objects = append(objects, &unstructured.Unstructured{Object: content})
	}
	manager.SetOwnerLabels(objects, request.Kustomization, ownerNamespace)
	if err := normalize.UnstructuredList(objects); err != nil {
		return syncReport{}, err
	}
	applied, err := manager.ApplyAllStaged(ctx, objects, applyOptions())
	if err != nil {
		return syncReport{Actions: applied.ToMap(), Inventory: request.Inventory, Failure: err.Error()}, nil
	}
	report := syncReport{Actions: applied.ToMap(), Inventory: inventoryOf(objects)}
	pruned, err := manager.DeleteAll(ctx, stale(request.Inventory, report.Inventory), ssa.DeleteOptions{
		PropagationPolicy: metav1.DeletePropagationBackground,
		Inclusions:        manager.GetOwnerLabels(request.Kustomization, ownerNamespace),
		Exclusions: map[string]string{
			ownerGroup + "/prune":     "disabled",
			ownerGroup + "/reconcile": "disabled",
		},
	})
	for _, entry := range pruned.Entries {
		report.Actions[entry.Subject] = entry.Action
	}
	if err != nil {
		report.Failure = err.Error()
		return report, nil
	}
	if err := manager.WaitForSetWithContext(ctx, withoutSkipped(applied), ssa.WaitOptions{
		Interval: time.Second,
		Timeout:  time.Duration(request.TimeoutSeconds) * time.Second,
		FailFast: true,
	}); err != nil {
		report.Failure = err.Error()
	}
	return report, nil
}

func newManager(kubeconfig string) (*ssa.ResourceManager, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	// A limit of the client would end a wait before its time, without naming the objects.
	config.QPS = -1
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	mapper, err := apiutil.NewDynamicRESTMapper(config, httpClient)
	if err != nil {
		return nil, err
	}
	kubeClient, err := client.New(config, client.Options{HTTPClient: httpClient, Mapper: mapper})
	if err != nil {
		return nil, fmt.Errorf("open the cluster: %w", err)
	}
	poller := polling.NewStatusPoller(kubeClient, mapper, polling.Options{})
	return ssa.NewResourceManager(kubeClient, poller, ssa.Owner{Field: controllerName, Group: ownerGroup}), nil
}

// applyOptions are those of a Kustomization without `force`.
func applyOptions() ssa.ApplyOptions {
	options := ssa.DefaultApplyOptions()
	options.ExclusionSelector = map[string]string{ownerGroup + "/reconcile": "disabled", ownerGroup + "/ssa": "Ignore"}
	options.IfNotPresentSelector = map[string]string{ownerGroup + "/ssa": "IfNotPresent"}
	options.ForceSelector = map[string]string{ownerGroup + "/force": "enabled"}
	options.Cleanup = ssa.ApplyCleanupOptions{
		Annotations: []string{"kubectl.kubernetes.io/last-applied-configuration"},
		FieldManagers: []ssa.FieldManager{
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationApply},
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: "before-first-apply", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: controllerName, OperationType: metav1.ManagedFieldsOperationUpdate},
		},
		Exclusions: map[string]string{ownerGroup + "/ssa": "Merge"},
	}
	return options
}

func inventoryOf(objects []*unstructured.Unstructured) []inventoryEntry {
	entries := make([]inventoryEntry, 0, len(objects))
	for _, each := range objects {
		entries = append(entries, inventoryEntry{each.GetAPIVersion(), each.GetKind(), each.GetNamespace(), each.GetName()})
	}
	return entries
}

// stale returns what the inventory before names and the one after does not.
func stale(before, after []inventoryEntry) []*unstructured.Unstructured {
	kept := map[inventoryEntry]bool{}
	for _, entry := range after {
		kept[entry] = true
	}
	var result []*unstructured.Unstructured
	for _, entry := range before {
		if kept[entry] {
			continue
		}
		each := &unstructured.Unstructured{}
		each.SetGroupVersionKind(schema.FromAPIVersionAndKind(entry.APIVersion, entry.Kind))
		each.SetNamespace(entry.Namespace)
		each.SetName(entry.Name)
		result = append(result, each)
	}
	return result
}

// withoutSkipped leaves out the objects whose reconciliation the user has disabled.
func withoutSkipped(changes *ssa.ChangeSet) object.ObjMetadataSet {
	result := ssa.NewChangeSet()
	for _, entry := range changes.Entries {
		if entry.Action != ssa.SkippedAction {
			result.Add(entry)
		}
	}
	return result.ToObjMetadataSet()
}
