// RUN: tlx-opt %s -tlx-expand-thread-ops | FileCheck %s
// The PTX text of each thread operation.

// CHECK-LABEL: llvm.func @ops
llvm.func @ops(%s: !llvm.ptr<3>, %bar: !llvm.ptr<3>, %map: !llvm.ptr, %g: !llvm.ptr<1>, %i: i32, %h: i16, %f: f32, %l: i64, %p: i1) {
  // CHECK: "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1; @!p bra again; }", "r,r,~{memory}"
  thread.mbarrier_wait %bar phase %i : !llvm.ptr<3>
  // CHECK: "mbarrier.arrive.shared::cta.b64 _, [$0], 2;", "r,~{memory}"
  thread.mbarrier_arrive %bar count 2 : !llvm.ptr<3>
  // CHECK: "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, $0, $1; mbarrier.arrive.shared::cluster.b64 _, [remote]; }", "r,r,~{memory}"
  thread.mbarrier_arrive %bar count 1 rank %i : !llvm.ptr<3>
  // CHECK: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 4096;"
  thread.mbarrier_expect %bar bytes 4096 : !llvm.ptr<3>
  // CHECK: "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1, {$2, $3}], [$4], $5;", "r,l,r,r,r,h,~{memory}"
  thread.tma_load %s, %map[%i, %i] signal %bar mask %h : !llvm.ptr<3>, !llvm.ptr, !llvm.ptr<3>
  // CHECK: "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [$0, {$1}], [$2];", "l,r,r,~{memory}"
  thread.tma_store %map[%i], %s {reduce = "add"} : !llvm.ptr, !llvm.ptr<3>
  // CHECK: "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,~{memory}"
  thread.cp_async %s, %g bytes 16 valid %i : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: "bar.arrive 9, 256;"
  thread.named_barrier 9 threads 256 arrive
  // CHECK: "stmatrix.sync.aligned.m8n8.x2.shared.b16 [$0], {$1, $2};", "r,r,r,~{memory}"
  thread.stmatrix %s, %i, %i : !llvm.ptr<3>
  // CHECK-NOT: has_side_effects
  // CHECK: "ex2.approx.ftz.f32 $0, $1;", "=f,f"
  %e = thread.approx ex2 %f
  // CHECK: "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f" %arg{{.*}}, %[[LOW:.*]] :
  %k = thread.pack bf16 %e, %f
  // CHECK: "{ .reg .pred p; setp.ne.b32 p, $10, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, p, 1, 1, 0, 1; }", "=f,=f,=f,=f,0,1,2,3,l,l,r,~{memory}"
  %d:4 = thread.wgmma n 8 k 16 f32 f16 f16 trans false true acc(%f, %f, %f, %f) a(%l) b(%l) scale_d(%p) : a(i64), f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {$0, $1, $2, $3}, {$8, $9, $10, $11}, {$12, $13}, {$0, $1, $2, $3};", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"
  %m:4 = thread.mma_sync "e4m3" "e5m2" acc(%f, %f, %f, %f) a(%i, %i, %i, %i) b(%i, %i) : f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {
  %t:4 = thread.mma_sync "tf32" "tf32" acc(%m#0, %f, %f, %f) a(%i, %i, %i, %i) b(%i, %i) : f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {{.*}}, "=r,=r,=r,=r,0,1,2,3,r,r,r,r,r,r"
  %n:4 = thread.mma_sync "s8" "s8" acc(%i, %i, %i, %i) a(%i, %i, %i, %i) b(%i, %i) : i32, i32, i32, i32 -> i32, i32, i32, i32
  // CHECK: "wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
  %w:4 = thread.wgmma_wait 1(%d#0, %d#1, %d#2, %d#3) : f32, f32, f32, f32 -> f32, f32, f32, f32
  llvm.return
}
